#include "ricochet/io/cad/brep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ricochet/io/cad/brep_check.hpp"
#include "ricochet/io/file/text_file.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

using namespace brep;

constexpr const char* kCurves[] = {"line", "circle", "ellipse", "spline"};
constexpr const char* kSurfaces[] = {"plane", "cylinder",  "cone",       "sphere",
                                     "torus", "extrusion", "revolution", "spline"};
constexpr int kMostDegree = 25;

/// Words of one line after the other.
class Words {
 public:
  Words(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  /// The next line that says something; false at the end of the text.
  bool next() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      rest_ = text_.substr(at_, end - at_);
      rest_ = rest_.substr(0, rest_.find('#'));
      at_ = end + 1;
      ++line_;
      if (more()) return true;
    }
    return false;
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}:{}", name_, line_), what); }

  int line() const { return line_; }

  bool more() {
    const std::size_t begin = rest_.find_first_not_of(" \t\r");
    rest_ = begin == std::string_view::npos ? std::string_view{} : rest_.substr(begin);
    return !rest_.empty();
  }
  std::string_view word(const char* what) {
    if (!more()) fail(fmt::format("the line ends too early; expected {}", what));
    const std::string_view out = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(out.size());
    return out;
  }
  template <class T>
  T read(const char* what) {
    const std::string_view text = word(what);
    T x{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || end != text.data() + text.size())
      fail(fmt::format("expected {}, found '{}'", what, text.substr(0, 40)));
    return x;
  }
  double number() {
    const auto x = read<double>("a number");
    if (!std::isfinite(x)) fail("a number is not finite; accepted: finite ones");
    return x;
  }
  int count(const char* what, int least, int most) {
    const auto n = read<int>(what);
    if (n < least || n > most) fail(fmt::format("{} {}; accepted: {} to {}", what, n, least, most));
    return n;
  }
  double positive(const char* what) {
    const double x = number();
    if (!(x > 0)) fail(fmt::format("{} {}; accepted: above 0", what, x));
    return x;
  }
  template <int N>
  Eigen::Matrix<double, N, 1> vector() {
    Eigen::Matrix<double, N, 1> x;
    for (double& c : x) c = number();
    return x;
  }
  template <int N>
  Eigen::Matrix<double, N, 1> direction() {
    const Eigen::Matrix<double, N, 1> x = vector<N>();
    if (!(std::abs(x.norm() - 1) < 1e-9)) fail(fmt::format("a direction has length {:.9g}; accepted: 1", x.norm()));
    return x.normalized();
  }
  template <std::size_t N>
  int one_of(const char* const (&names)[N], const char* what) {
    const std::string_view text = word(what);
    for (std::size_t k = 0; k < N; ++k)
      if (text == names[k]) return static_cast<int>(k);
    std::string all;
    for (const char* n : names) all += all.empty() ? n : fmt::format(", {}", n);
    fail(fmt::format("unknown {} '{}'; accepted: {}", what, text.substr(0, 40), all));
  }
  void finish() {
    if (more()) fail(fmt::format("expected the end of the line, found '{}'", word("").substr(0, 40)));
  }

 private:
  std::string_view text_, rest_;
  std::string name_;
  std::size_t at_ = 0;
  int line_ = 0;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : in_(text, name) {}

  const BrepLines& lines() const { return lines_; }

  Part read() {
    if (!in_.next() || in_.word("ricochet-brep") != "ricochet-brep")
      in_.fail("this is no part; accepted: a text that begins with 'ricochet-brep 1'");
    in_.count("version", 1, 1);
    in_.finish();
    static constexpr const char* kLines[] = {"part", "solid", "vertex", "edge", "face", "loop", "side", "end"};
    while (in_.next()) {
      const int what = in_.one_of(kLines, "line");
      switch (what) {
        case 0: part_.name = in_.word("a name"); break;
        case 1: solid(); break;
        case 2:
          number(part_.vertices.size());
          part_.vertices.emplace_back(in_.vector<3>());
          break;
        case 3: edge(); break;
        case 4: face(); break;
        case 5:
          if (part_.faces.empty()) in_.fail("a loop belongs to a face; accepted: after one");
          close();
          part_.faces.back().loops.emplace_back();
          lines_.sides.back().emplace_back();
          break;
        case 6: side(); break;
        default:
          close();
          in_.finish();
          if (in_.next()) in_.fail("there is more behind the end");
          if (part_.faces.empty()) in_.fail("there is no face; accepted: at least one");
          return std::move(part_);
      }
      in_.finish();
    }
    in_.fail("the text ends without 'end'; accepted: a whole part");
  }

 private:
  void number(std::size_t before) {
    const auto n = in_.read<std::size_t>("its number");
    if (n != before + 1) in_.fail(fmt::format("number {}; expected {}: they are counted", n, before + 1));
  }
  Axes axes() {
    Axes out{in_.vector<3>(), in_.direction<3>(), in_.direction<3>(), in_.direction<3>()};
    constexpr double kRight = 1e-9;
    if (std::abs(out.x.dot(out.y)) > kRight || std::abs(out.y.dot(out.z)) > kRight ||
        std::abs(out.z.dot(out.x)) > kRight)
      in_.fail("the axes are not at right angles; accepted: x, y, z that are");
    return out;
  }
  void solid() {
    MassProperties& s = part_.solid;
    s.mass = in_.positive("volume");
    s.centre = in_.vector<3>();
    const Vector3d d = in_.vector<3>(), p = in_.vector<3>();
    s.inertia << d[0], p[2], p[1], p[2], d[1], p[0], p[1], p[0], d[2];
  }
  Knots knots(int degree, int poles) {
    Knots out{degree, {}};
    for (int k = 0; k < poles + degree + 1; ++k) {
      out.knots.push_back(in_.number());
      if (k > 0 && out.knots.back() < out.knots[out.knots.size() - 2]) in_.fail("knots go back; accepted: rising ones");
    }
    if (!(out.first() < out.last())) in_.fail("knots do not span anything; accepted: rising ones");
    return out;
  }
  template <int N>
  void poles(int n, bool weighted, std::vector<Eigen::Matrix<double, N, 1>>& out, std::vector<double>& weights) {
    for (int k = 0; k < n; ++k) {
      out.push_back(in_.vector<N>());
      if (weighted) weights.push_back(in_.positive("weight"));
    }
  }
  template <int N, class Any>
  void spline(Any& c) {
    const int degree = in_.count("degree", 1, kMostDegree), n = in_.count("poles", degree + 1, 1'000'000);
    const bool weighted = in_.count("weights", 0, 1) == 1;
    c.t = knots(degree, n);
    poles<N>(n, weighted, c.poles, c.weights);
  }
  Curve curve() {
    Curve c;
    c.kind = static_cast<CurveKind>(in_.one_of(kCurves, "curve"));
    if (c.kind == CurveKind::line) {
      c.axes.o = in_.vector<3>();
      c.axes.z = in_.direction<3>();
    } else if (c.kind == CurveKind::spline) {
      spline<3>(c);
    } else {
      c.axes = axes();
      c.a = in_.positive("radius");
      if (c.kind == CurveKind::ellipse) c.b = in_.positive("radius");
    }
    return c;
  }
  Curve2 trace() {
    Curve2 c;
    c.kind = static_cast<CurveKind>(in_.one_of(kCurves, "trace"));
    if (c.kind == CurveKind::spline) {
      spline<2>(c);
      return c;
    }
    c.o = in_.vector<2>();
    c.x = in_.vector<2>();
    if (c.x.isZero(0)) in_.fail("a direction has length zero; accepted: any other");
    if (c.kind == CurveKind::line) return c;
    c.y = in_.vector<2>();
    c.a = in_.positive("radius");
    if (c.kind == CurveKind::ellipse) c.b = in_.positive("radius");
    return c;
  }
  Surface surface() {
    Surface s;
    s.kind = static_cast<SurfaceKind>(in_.one_of(kSurfaces, "surface"));
    switch (s.kind) {
      case SurfaceKind::extrusion:
        s.axes.z = in_.direction<3>();
        s.curve = curve();
        break;
      case SurfaceKind::revolution:
        s.axes.o = in_.vector<3>();
        s.axes.z = in_.direction<3>();
        s.curve = curve();
        break;
      case SurfaceKind::spline: {
        const int p = in_.count("degree", 1, kMostDegree), q = in_.count("degree", 1, kMostDegree);
        const int m = in_.count("poles", p + 1, 10'000), n = in_.count("poles", q + 1, 10'000);
        const bool weighted = in_.count("weights", 0, 1) == 1;
        s.u = knots(p, m);
        s.v = knots(q, n);
        poles<3>(m * n, weighted, s.poles, s.weights);
        break;
      }
      default:
        s.axes = axes();
        if (s.kind != SurfaceKind::plane) s.a = s.kind == SurfaceKind::cone ? in_.number() : in_.positive("radius");
        if (s.kind == SurfaceKind::torus) s.b = in_.positive("radius");
        if (s.kind == SurfaceKind::cone) s.b = in_.number();
    }
    if (s.kind == SurfaceKind::cone && !(s.a >= 0 && std::abs(s.b) < 1.570 && s.b != 0))
      in_.fail(
          fmt::format("a cone of radius {} and half angle {}; accepted: a radius of 0 or more, an angle within a "
                      "right one that is not 0",
                      s.a, s.b));
    return s;
  }
  void edge() {
    number(part_.edges.size());
    Edge e;
    e.from = in_.number();
    e.to = in_.number();
    if (!(e.from < e.to)) in_.fail(fmt::format("the edge goes from {} to {}; accepted: upwards", e.from, e.to));
    for (int& v : e.vertices) v = in_.count("vertex", 0, static_cast<int>(part_.vertices.size())) - 1;
    e.curve = curve();
    part_.edges.push_back(std::move(e));
    lines_.edges.push_back(in_.line());
  }
  void face() {
    close();
    number(part_.faces.size());
    Face f;
    f.name = in_.word("a name");
    static constexpr const char* kSides[] = {"out", "in"};
    f.reversed = in_.one_of(kSides, "side of the material") == 1;
    f.surface = surface();
    part_.faces.push_back(std::move(f));
    lines_.faces.push_back(in_.line());
    lines_.sides.emplace_back();
  }
  void side() {
    if (part_.faces.empty() || part_.faces.back().loops.empty())
      in_.fail("a side belongs to a loop; accepted: after one");
    Side s;
    s.edge = in_.count("edge", 1, static_cast<int>(part_.edges.size())) - 1;
    static constexpr const char* kWays[] = {"+", "-"};
    s.reversed = in_.one_of(kWays, "direction") == 1;
    s.trace = trace();
    part_.faces.back().loops.back().push_back(std::move(s));
    lines_.sides.back().back().push_back(in_.line());
  }
  /// What has to be said of the loop before.
  void close() {
    if (!part_.faces.empty() && !part_.faces.back().loops.empty() && part_.faces.back().loops.back().empty())
      in_.fail("the loop before has no side; accepted: at least one");
  }

  Words in_;
  Part part_;
  BrepLines lines_;
};

class Writer {
 public:
  std::string write(const Part& p) {
    line("ricochet-brep 1\npart {}\n", p.name.empty() ? "part" : p.name);
    if (p.solid.mass > 0) {
      const Matrix3d& J = p.solid.inertia;
      words("solid");
      number(p.solid.mass);
      vector(p.solid.centre);
      for (const double x : {J(0, 0), J(1, 1), J(2, 2), J(1, 2), J(2, 0), J(0, 1)}) number(x);
      out_ += '\n';
    }
    for (std::size_t k = 0; k < p.vertices.size(); ++k) {
      line("vertex {}", k + 1);
      vector(p.vertices[k]);
      out_ += '\n';
    }
    for (std::size_t k = 0; k < p.edges.size(); ++k) {
      const Edge& e = p.edges[k];
      line("edge {}", k + 1);
      number(e.from);
      number(e.to);
      line(" {} {}", e.vertices[0] + 1, e.vertices[1] + 1);
      curve(e.curve);
      out_ += '\n';
    }
    for (std::size_t k = 0; k < p.faces.size(); ++k) face(k + 1, p.faces[k]);
    out_ += "end\n";
    return std::move(out_);
  }

 private:
  template <class... T>
  void line(fmt::format_string<T...> text, T&&... x) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<T>(x)...);
  }
  void words(const char* text) { out_ += text; }
  void number(double x) { line(" {}", x == 0 ? 0.0 : x); }  // no -0
  template <class Vector>
  void vector(const Vector& x) {
    for (const double c : x) number(c);
  }
  void axes(const Axes& a) {
    for (const Vector3d* x : {&a.o, &a.x, &a.y, &a.z}) vector(*x);
  }
  template <class Vector>
  void poles(const std::vector<Vector>& all, const std::vector<double>& weights) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      vector(all[k]);
      if (!weights.empty()) number(weights[k]);
    }
  }
  template <class Any>
  void spline(const Any& c) {
    line(" {} {} {}", c.t.degree, c.poles.size(), c.weights.empty() ? 0 : 1);
    for (const double x : c.t.knots) number(x);
    poles(c.poles, c.weights);
  }
  void curve(const Curve& c) {
    line(" {}", kCurves[static_cast<int>(c.kind)]);
    if (c.kind == CurveKind::spline) return spline(c);
    if (c.kind == CurveKind::line) {
      vector(c.axes.o);
      vector(c.axes.z);
      return;
    }
    axes(c.axes);
    number(c.a);
    if (c.kind == CurveKind::ellipse) number(c.b);
  }
  void trace(const Curve2& c) {
    line(" {}", kCurves[static_cast<int>(c.kind)]);
    if (c.kind == CurveKind::spline) return spline(c);
    vector(c.o);
    vector(c.x);
    if (c.kind == CurveKind::line) return;
    vector(c.y);
    number(c.a);
    if (c.kind == CurveKind::ellipse) number(c.b);
  }
  void surface(const Surface& s) {
    line(" {}", kSurfaces[static_cast<int>(s.kind)]);
    switch (s.kind) {
      case SurfaceKind::extrusion: vector(s.axes.z); return curve(s.curve);
      case SurfaceKind::revolution:
        vector(s.axes.o);
        vector(s.axes.z);
        return curve(s.curve);
      case SurfaceKind::spline:
        line(" {} {} {} {} {}", s.u.degree, s.v.degree, s.u.poles(), s.v.poles(), s.weights.empty() ? 0 : 1);
        for (const Knots* k : {&s.u, &s.v})
          for (const double x : k->knots) number(x);
        return poles(s.poles, s.weights);
      default:
        axes(s.axes);
        if (s.kind != SurfaceKind::plane) number(s.a);
        if (s.kind == SurfaceKind::cone || s.kind == SurfaceKind::torus) number(s.b);
    }
  }
  void face(std::size_t k, const Face& f) {
    line("face {} {} {}", k, f.name, f.reversed ? "in" : "out");
    surface(f.surface);
    out_ += '\n';
    for (const Loop& loop : f.loops) {
      words("loop\n");
      for (const Side& s : loop) {
        line("side {} {}", s.edge + 1, s.reversed ? "-" : "+");
        trace(s.trace);
        out_ += '\n';
      }
    }
  }
  std::string out_;
};

}  // namespace

Part parse_brep(std::string_view text, const std::string& name, BrepFit fit) {
  Reader reader(text, name);
  Part out = reader.read();
  if (fit == BrepFit::checked) check_brep(out, reader.lines(), name);
  return out;
}

Part read_brep(const std::string& path) {
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
  return parse_brep(read_named_file(path, kMost, "a text of a part, ricochet-brep"), path);
}

std::string brep_text(const Part& part) { return Writer().write(part); }

}  // namespace ricochet
