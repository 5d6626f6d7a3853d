#include "ricochet/io/cad/brep_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "ricochet/geometry/brep/evaluate.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

using namespace brep;

// How far what belongs together may be apart: of the size of the part, and what the reader of STEP files lets pass.
constexpr double kApart = 1e-6, kApartStep = 1.1e-6, kApartSmall = 1.1e-3;
constexpr double kRound = 1e-9;  // of a range of parameters
constexpr int kEach = 8;         // places looked at in each piece of a curve

std::string place(const Vector3d& x) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", x.x(), x.y(), x.z()); }

template <class Any>
void add_knots(const Any& curve, double from, double to, std::vector<double>& out) {
  if (curve.kind != CurveKind::spline) return;
  for (const double t : curve.t.knots)
    if (t > from && t < to && t != out.back()) out.push_back(t);
}

int pieces_of(const Knots& t) {
  int out = 0;
  for (std::size_t k = 1; k < t.knots.size(); ++k) out += t.knots[k] > t.knots[k - 1];
  return out;
}

int pieces_of(const brep::Surface& s) {
  if (s.kind == SurfaceKind::spline) return pieces_of(s.u) + pieces_of(s.v);
  const bool swept = s.kind == SurfaceKind::extrusion || s.kind == SurfaceKind::revolution;
  return swept && s.curve.kind == CurveKind::spline ? pieces_of(s.curve.t) : 1;
}

/// Several places in each piece, the more the more pieces the surface has.
std::vector<double> places(const Edge& e, const Curve2* trace, int pieces) {
  std::vector<double> knots{e.from}, out{e.from};
  add_knots(e.curve, e.from, e.to, knots);
  if (trace != nullptr) add_knots(*trace, e.from, e.to, knots);
  knots.push_back(e.to);
  std::sort(knots.begin(), knots.end());
  const int each = kEach * (1 + pieces / static_cast<int>(knots.size()));
  for (std::size_t k = 1; k < knots.size(); ++k)
    for (int i = 1; i <= each && knots[k] > knots[k - 1]; ++i)
      out.push_back(i == each ? knots[k] : knots[k - 1] + (knots[k] - knots[k - 1]) * i / each);
  return out;
}

class Check {
 public:
  Check(const Part& part, const BrepLines& lines, const std::string& name) : part_(part), lines_(lines), name_(name) {}

  void all() {
    for (std::size_t k = 0; k < part_.edges.size(); ++k) range(k);
    measure();
    for (std::size_t k = 0; k < part_.edges.size(); ++k) ends(k);
    for (std::size_t f = 0; f < part_.faces.size(); ++f) {
      extent(f);
      once(f);
      for (std::size_t l = 0; l < part_.faces[f].loops.size(); ++l) loop(f, l);
    }
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw InputError(fmt::format("{}:{}", name_, line), what);
  }
  template <class Any>
  void within_knots(const Any& curve, const Edge& e, int line, const char* what) const {
    if (curve.kind != CurveKind::spline) return;
    const double low = curve.t.first(), high = curve.t.last(), slack = kRound * (high - low);
    if (e.from < low - slack || e.to > high + slack)
      fail(line, fmt::format("{} from {} to {}, beyond its knots; accepted: within {} and {}", what, e.from, e.to, low,
                             high));
  }

  void range(std::size_t k) const {
    const Edge& e = part_.edges[k];
    const int line = lines_.edges[k];
    within_knots(e.curve, e, line, "the edge goes");
    const bool round = e.curve.kind == CurveKind::circle || e.curve.kind == CurveKind::ellipse;
    if (round && e.to - e.from > 2 * std::numbers::pi * (1 + kRound))
      fail(line, fmt::format("the edge goes from {} to {}, more than all round; accepted: a turn of 2 pi at most",
                             e.from, e.to));
    const Vector3d begin = evaluate(e.curve, e.from).p;
    bool moves = false;
    for (const double t : places(e, nullptr, 0)) moves = moves || (evaluate(e.curve, t).p - begin).norm() > 0;
    if (!moves) fail(line, "the edge has no length; accepted: edges that have one");
  }

  void measure() {
    Vector3d low = Vector3d::Constant(HUGE_VAL), high = -low;
    const auto add = [&](const Vector3d& x) { low = low.cwiseMin(x), high = high.cwiseMax(x); };
    for (const Edge& e : part_.edges)
      for (const double t : places(e, nullptr, 0)) add(evaluate(e.curve, t).p);
    const double size = part_.edges.empty() ? 0 : (high - low).norm();
    apart_ = std::min(std::max(kApart * size, kApartStep), kApartSmall * size);
  }

  void ends(std::size_t k) const {
    const Edge& e = part_.edges[k];
    const Vector3d at[] = {evaluate(e.curve, e.from).p, evaluate(e.curve, e.to).p};
    const bool open = !((at[1] - at[0]).norm() <= apart_);
    for (std::size_t i = 0; i < 2; ++i) {
      const char* which = i == 0 ? "begins" : "ends";
      if (e.vertices[i] < 0) {
        if (open)
          fail(lines_.edges[k],
               fmt::format("the edge {} at {} without a vertex; accepted: 0 of closed edges, of others "
                           "the vertex that is there",
                           which, place(at[i])));
        continue;
      }
      const Vector3d& corner = part_.vertices[static_cast<std::size_t>(e.vertices[i])];
      if (const double off = (at[i] - corner).norm(); !(off <= apart_))
        fail(lines_.edges[k],
             fmt::format("the edge {} at {}, {:.3g} from its vertex {}; accepted: vertices at the ends "
                         "of their edges, to {:.2g}",
                         which, place(at[i]), off, e.vertices[i] + 1, apart_));
    }
  }

  /// Somewhere S_u and S_v are two directions.
  void extent(std::size_t f) const {
    const brep::Surface& s = part_.faces[f].surface;
    if (s.kind < SurfaceKind::extrusion) return;
    double range[2][2] = {{0, 1}, {0, 1}};
    const auto curve = [&](double(&out)[2]) {
      if (s.curve.kind == CurveKind::spline) out[0] = s.curve.t.first(), out[1] = s.curve.t.last();
      if (s.curve.kind == CurveKind::circle || s.curve.kind == CurveKind::ellipse) out[1] = 2 * std::numbers::pi;
    };
    if (s.kind == SurfaceKind::extrusion) curve(range[0]);
    if (s.kind == SurfaceKind::revolution) curve(range[1]);
    if (s.kind == SurfaceKind::spline) {
      range[0][0] = s.u.first(), range[0][1] = s.u.last();
      range[1][0] = s.v.first(), range[1][1] = s.v.last();
    }
    constexpr int kPlaces = 16;
    double most = 0, scale = 0;
    for (int i = 0; i < kPlaces; ++i)
      for (int j = 0; j < kPlaces; ++j) {
        const SurfacePoint p = evaluate(s, range[0][0] + (range[0][1] - range[0][0]) * (i + 0.5) / kPlaces,
                                        range[1][0] + (range[1][1] - range[1][0]) * (j + 0.5) / kPlaces);
        most = std::max(most, p.u.cross(p.v).norm());
        scale = std::max({scale, p.u.squaredNorm(), p.v.squaredNorm()});
      }
    if (!(most > 1e-12 * scale))
      fail(lines_.faces[f], "the surface has no extent: it is a curve or a point; accepted: one with two directions");
  }

  /// A seam is there twice, but in both directions.
  void once(std::size_t f) const {
    std::set<std::pair<int, bool>> seen;
    const Face& face = part_.faces[f];
    for (std::size_t l = 0; l < face.loops.size(); ++l)
      for (std::size_t k = 0; k < face.loops[l].size(); ++k)
        if (const Side& s = face.loops[l][k]; !seen.emplace(s.edge, s.reversed).second)
          fail(lines_.sides[f][l][k], fmt::format("the side {} {} is in this face already; accepted: each once",
                                                  s.edge + 1, s.reversed ? '-' : '+'));
  }

  void loop(std::size_t f, std::size_t l) const {
    const Face& face = part_.faces[f];
    const std::vector<int>& lines = lines_.sides[f][l];
    const Loop& loop = face.loops[l];
    const int pieces = pieces_of(face.surface);
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const Edge& e = part_.edges[static_cast<std::size_t>(loop[k].edge)];
      within_knots(loop[k].trace, e, lines[k], "the trace goes");
      for (const double t : places(e, &loop[k].trace, pieces)) {
        const Vector2d uv = evaluate(loop[k].trace, t)[0];
        const Vector3d x = evaluate(e.curve, t).p, y = evaluate(face.surface, uv[0], uv[1]).p;
        if (const double off = (x - y).norm(); !(off <= apart_))
          fail(lines[k],
               fmt::format("the trace is at {} on the face where its edge {} is at {}, {:.3g} apart; accepted: "
                           "traces that lie on their edges, to {:.2g}",
                           place(y), loop[k].edge + 1, place(x), off, apart_));
      }
    }
    closed(loop, lines);
  }

  /// Each side begins where the one before it ends; where one returns to the first, another ring may begin.
  void closed(const Loop& loop, const std::vector<int>& lines) const {
    const auto together = [&](const Vector3d& a, const Vector3d& b) { return (a - b).norm() <= 2 * apart_; };
    std::size_t first = 0;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const Vector3d at = end(loop[k], true), begin = end(loop[first], false);
      const bool last = k + 1 == loop.size();
      if (!last && together(at, end(loop[k + 1], false))) continue;
      if (!together(at, begin))
        fail(lines[k], fmt::format("the side ends at {}, the {} at {}; accepted: loops that are closed", place(at),
                                   last ? "loop began" : "next begins", place(last ? begin : end(loop[k + 1], false))));
      first = k + 1;
    }
  }
  Vector3d end(const Side& s, bool last) const {
    const Edge& e = part_.edges[static_cast<std::size_t>(s.edge)];
    return evaluate(e.curve, last != s.reversed ? e.to : e.from).p;
  }

  const Part& part_;
  const BrepLines& lines_;
  const std::string& name_;
  double apart_ = 0;
};

}  // namespace

void check_brep(const Part& part, const BrepLines& lines, const std::string& name) { Check(part, lines, name).all(); }

}  // namespace ricochet
