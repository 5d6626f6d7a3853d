#include "ricochet/page/part_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ricochet/geometry/brep/evaluate.hpp"
#include "ricochet/geometry/brep/trim.hpp"
#include "ricochet/page/svg.hpp"

namespace ricochet {
namespace {

using brep::Edge;
using brep::Face;
using brep::Part;
using brep::SurfaceKind;
using brep::SurfacePoint;
using brep::Trim;
using brep::Vector2d;

constexpr int kPixel = 2;    // of the drawing's units, for surfaces
constexpr int kMargin = 40;  // around the part
constexpr int kAround = 48;  // pieces of a curved face along each parameter
constexpr int kAlongEdge = 64;
constexpr double kWhole = std::numeric_limits<double>::infinity();

struct Camera {
  const char* name;
  Vector3d towards, up;  // from the eye; up in the picture
};
const Camera kCameras[] = {{"corner", {-1, 1.4, -0.8}, {0, 0, 1}}, {"front", {0, 1, 0}, {0, 0, 1}},
                           {"back", {0, -1, 0}, {0, 0, 1}},        {"left", {1, 0, 0}, {0, 0, 1}},
                           {"right", {-1, 0, 0}, {0, 0, 1}},       {"top", {0, 0, -1}, {0, 1, 0}},
                           {"bottom", {0, 0, 1}, {0, 1, 0}}};

bool has_own_name(const Face& face) {
  return face.name.size() < 2 || face.name[0] != 'f' ||
         face.name.find_first_not_of("0123456789", 1) != std::string::npos;
}

/// Which face is seen at each pixel, and how far it is.
class Painter {
 public:
  Painter(const std::vector<Part>& parts, const PartView& view) : parts_(parts), view_(view) {
    const Camera* camera = std::find_if(std::begin(kCameras), std::end(kCameras) - 1,
                                        [&](const Camera& c) { return view.from == c.name; });
    z_ = camera->towards.normalized();
    x_ = z_.cross(camera->up).normalized();
    y_ = z_.cross(x_);  // downwards
    fit();
    columns_ = view.width / kPixel;
    rows_ = view.height / kPixel;
    seen_.assign(static_cast<std::size_t>(columns_ * rows_), {-1, kWhole, 0});
  }

  std::string paint() {
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (const Face& face : parts_[p].faces) {
        faces_.push_back(&face);
        fill(parts_[p], face, static_cast<int>(faces_.size()) - 1);
      }
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"DejaVu Sans, sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n",
        view_.width, view_.height);
    return out + colours() + edges() + names() + "</svg>\n";
  }

 private:
  struct Pixel {
    int face;
    double depth;
    double light;
  };

  Vector3d project(const Vector3d& p) const {
    return {middle_[0] + scale_ * (x_.dot(p) - centre_[0]), middle_[1] + scale_ * (y_.dot(p) - centre_[1]), z_.dot(p)};
  }

  void fit() {
    Vector2d low(kWhole, kWhole), high = -low;
    const auto take = [&](const Vector3d& p) {
      const Vector2d at(x_.dot(p), y_.dot(p));
      low = low.cwiseMin(at);
      high = high.cwiseMax(at);
    };
    for (const Part& part : parts_) {
      for (const Edge& e : part.edges)
        for (int i = 0; i <= kAlongEdge; ++i) take(evaluate(e.curve, e.from + (e.to - e.from) * i / kAlongEdge).p);
      for (const Face& face : part.faces) {
        const Trim trim(face, part.edges);
        for (int i = 0; i < kAround; ++i)
          for (int j = 0; j < kAround; ++j) {
            const Vector2d uv = at(trim, (i + 0.5) / kAround, (j + 0.5) / kAround);
            if (trim.inside(uv[0], uv[1])) take(evaluate(face.surface, uv[0], uv[1]).p);
          }
      }
    }
    centre_ = (low + high) / 2;
    const Vector2d room(view_.width - 2 * kMargin, view_.height - 2 * kMargin);
    scale_ = (room.array() / (high - low).array().max(1e-12)).minCoeff();
    middle_ = Vector2d(view_.width, view_.height) / 2;
  }

  static Vector2d at(const Trim& trim, double s, double t) {
    return trim.low().array() + Eigen::Array2d(s, t) * (trim.high() - trim.low()).array();
  }

  struct Corner {
    Vector3d p;  // in the picture, with its depth
    Vector2d uv;
    double light;
  };

  Corner corner(const Face& face, const Vector2d& uv) const {
    const SurfacePoint s = evaluate(face.surface, uv[0], uv[1]);
    const Vector3d n = (face.reversed ? -1 : 1) * s.u.cross(s.v).stableNormalized();
    const Vector3d lamp = (-z_ - 0.35 * x_ - 0.5 * y_).normalized();
    return {project(s.p), uv, n.dot(lamp)};
  }

  void fill(const Part& part, const Face& face, int number) {
    const Trim trim(face, part.edges);
    const bool flat = face.surface.kind == SurfaceKind::plane;
    const int m = flat ? 1 : kAround, n = flat ? 1 : kAround;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        Corner c[4];
        for (int k = 0; k < 4; ++k)
          c[k] = corner(face, at(trim, (i + k % 2) / static_cast<double>(m), (j + k / 2) / static_cast<double>(n)));
        triangle(trim, number, {c[0], c[1], c[3]});
        triangle(trim, number, {c[0], c[3], c[2]});
      }
  }

  /// Pixels whose middle is inside, and whose parameters belong to the face.
  void triangle(const Trim& trim, int number, const std::array<Corner, 3>& c) {
    const auto cross = [](const Vector3d& a, const Vector3d& b, double x, double y) {
      return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    };
    const double whole = cross(c[0].p, c[1].p, c[2].p[0], c[2].p[1]);
    if (!(std::abs(whole) > 1e-9)) return;
    const Vector3d low = c[0].p.cwiseMin(c[1].p).cwiseMin(c[2].p) / kPixel,
                   high = c[0].p.cwiseMax(c[1].p).cwiseMax(c[2].p) / kPixel;
    for (int row = std::max(0, static_cast<int>(low[1])); row <= std::min(rows_ - 1, static_cast<int>(high[1])); ++row)
      for (int column = std::max(0, static_cast<int>(low[0]));
           column <= std::min(columns_ - 1, static_cast<int>(high[0])); ++column) {
        const double x = (column + 0.5) * kPixel, y = (row + 0.5) * kPixel;
        const double a = cross(c[1].p, c[2].p, x, y) / whole, b = cross(c[2].p, c[0].p, x, y) / whole, d = 1 - a - b;
        if (a < -1e-9 || b < -1e-9 || d < -1e-9) continue;
        Pixel& pixel = seen_[static_cast<std::size_t>(row * columns_ + column)];
        const double depth = a * c[0].p[2] + b * c[1].p[2] + d * c[2].p[2];
        if (depth >= pixel.depth) continue;
        const Vector2d uv = a * c[0].uv + b * c[1].uv + d * c[2].uv;
        if (trim.inside(uv[0], uv[1])) pixel = {number, depth, a * c[0].light + b * c[1].light + d * c[2].light};
      }
  }

  /// Runs of pixels of one face and shade, as strokes.
  std::string colours() const {
    constexpr int kShades = 8;
    std::map<std::pair<int, int>, std::string> strokes;
    for (int row = 0; row < rows_; ++row)
      for (int column = 0; column < columns_;) {
        const auto key_at = [&](int k) {
          const Pixel& p = seen_[static_cast<std::size_t>(row * columns_ + k)];
          return std::pair{p.face, static_cast<int>(kShades * std::clamp(p.light, 0.0, 0.999))};
        };
        const auto key = key_at(column);
        int end = column + 1;
        while (end < columns_ && key_at(end) == key) ++end;
        if (key.first >= 0)
          strokes[key] += fmt::format("M{} {}h{}", column * kPixel, row * kPixel + kPixel / 2, (end - column) * kPixel);
        column = end;
      }
    std::string out;
    std::size_t named = 0;
    std::map<int, std::string> colour;
    for (std::size_t k = 0; k < faces_.size(); ++k)
      colour[static_cast<int>(k)] = has_own_name(*faces_[k]) ? svg::colour(named++) : "#9aa0a6";
    for (const auto& [key, path] : strokes)
      out += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{}\" opacity=\"{:.2f}\"/>\n", path,
                         colour[key.first], kPixel + 0.2, 0.75 - 0.55 * key.second / kShades);
    return out;
  }

  /// How far the surface is that is seen at a place.
  double depth(const Vector3d& p) const {
    const int column = static_cast<int>(p[0] / kPixel), row = static_cast<int>(p[1] / kPixel);
    double out = -kWhole;  // the farthest of the neighbours: the edge's own faces do not hide it
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        if (const int r = row + i, c = column + j; r >= 0 && r < rows_ && c >= 0 && c < columns_)
          out = std::max(out, seen_[static_cast<std::size_t>(r * columns_ + c)].depth);
    return out;
  }

  std::string edges() const {
    std::string seen, hidden;
    for (const Part& part : parts_)
      for (const Edge& e : part.edges) {
        Vector3d last = project(evaluate(e.curve, e.from).p);
        std::string* stroke = nullptr;
        for (int i = 1; i <= kAlongEdge; ++i) {
          const Vector3d next = project(evaluate(e.curve, e.from + (e.to - e.from) * i / kAlongEdge).p);
          std::string* now = (last[2] + next[2]) / 2 <= depth((last + next) / 2) + 2 / scale_ ? &seen : &hidden;
          if (now != stroke) *now += fmt::format("M{:.1f} {:.1f}", last[0], last[1]);
          *now += fmt::format("L{:.1f} {:.1f}", next[0], next[1]);
          stroke = now;
          last = next;
        }
      }
    return fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"#888\" stroke-width=\"0.5\" stroke-dasharray=\"2 3\"/>\n"
        "<path d=\"{}\" fill=\"none\" stroke=\"#222\" stroke-width=\"1\"/>\n",
        hidden, seen);
  }

  /// Each beside the pixel of its face that is nearest to the middle of those that are seen.
  std::string names() const {
    struct Sum {
      double x = 0, y = 0;
      int n = 0;
    };
    std::vector<Sum> sums(faces_.size());
    const auto each = [&](auto action) {
      for (int row = 0; row < rows_; ++row)
        for (int column = 0; column < columns_; ++column)
          if (const Pixel& p = seen_[static_cast<std::size_t>(row * columns_ + column)]; p.face >= 0)
            action(static_cast<std::size_t>(p.face), (column + 0.5) * kPixel, (row + 0.5) * kPixel);
    };
    each([&](std::size_t face, double x, double y) { sums[face].x += x, sums[face].y += y, ++sums[face].n; });
    std::vector<std::array<double, 3>> best(faces_.size(), {kWhole, 0, 0});
    each([&](std::size_t face, double x, double y) {
      const Sum& s = sums[face];
      const double dx = x - s.x / s.n, dy = y - s.y / s.n, off = dx * dx + dy * dy;
      if (off < best[face][0]) best[face] = {off, x, y};
    });
    std::string out;
    for (std::size_t k = 0; k < faces_.size(); ++k) {
      if (sums[k].n * kPixel * kPixel < (has_own_name(*faces_[k]) ? 50 : 500)) continue;
      out += fmt::format(
          "<circle cx=\"{0:.0f}\" cy=\"{1:.0f}\" r=\"2\"/><text x=\"{2:.0f}\" y=\"{3:.0f}\" "
          "stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">{4}</text>\n",
          best[k][1], best[k][2], best[k][1] + 4, best[k][2] - 4, svg::escape(faces_[k]->name));
    }
    return out;
  }

  const std::vector<Part>& parts_;
  PartView view_;
  Vector3d x_, y_, z_;
  Vector2d centre_, middle_;
  double scale_ = 1;
  int columns_ = 0, rows_ = 0;
  std::vector<const Face*> faces_;
  std::vector<Pixel> seen_;
};

}  // namespace

const std::vector<std::string>& part_views() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (const Camera& camera : kCameras) out.emplace_back(camera.name);
    return out;
  }();
  return all;
}

std::string part_picture(const std::vector<Part>& parts, const PartView& view) { return Painter(parts, view).paint(); }

}  // namespace ricochet
