#include "ricochet/analysis/hausdorff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

// Samples in units of the scales, time first: points of R^(1 + dim).
class Polyline {
 public:
  Polyline(const FilledGraph& g, const HausdorffScales& scales) : width_(static_cast<std::size_t>(g.dim) + 1) {
    points_.reserve(g.size() * width_);
    for (std::size_t i = 0; i < g.size(); ++i) {
      points_.push_back(g.t[i] / scales.time);
      for (int k = 0; k < g.dim; ++k) points_.push_back(g.at(i)[k] / scales.value);
    }
    // A single sample is a segment without length.
    if (g.size() == 1)
      points_.insert(points_.end(), points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(width_));
  }
  std::size_t width() const { return width_; }
  std::size_t segments() const { return points_.size() / width_ - 1; }
  const double* point(std::size_t i) const { return points_.data() + i * width_; }

 private:
  std::size_t width_;
  std::vector<double> points_;
};

// min over l in [0, 1] of max(|alpha - beta l|, |rho - delta l|): both are convex, so the minimum is at an end, at the
// minimum of one of them, or where they cross.
double to_segment(const double* p, const double* a, const double* b, std::size_t width) {
  const double alpha = p[0] - a[0], beta = b[0] - a[0];
  double rr = 0, rd = 0, dd = 0;
  for (std::size_t k = 1; k < width; ++k) {
    const double rho = p[k] - a[k], delta = b[k] - a[k];
    rr += rho * rho;
    rd += rho * delta;
    dd += delta * delta;
  }
  const auto at = [&](double l) {
    l = l > 0 ? (l < 1 ? l : 1) : 0;  // also what is not a number
    double sum = 0;
    for (std::size_t k = 1; k < width; ++k) {
      const double x = p[k] - a[k] - l * (b[k] - a[k]);
      sum += x * x;
    }
    return std::max(std::abs(alpha - beta * l),
                    width == 2 ? std::abs(p[1] - a[1] - l * (b[1] - a[1])) : std::sqrt(sum));
  };
  double least = std::min({at(0), at(1), at(alpha / beta), at(rd / dd)});
  if (width == 2) {
    const double rho = p[1] - a[1], delta = b[1] - a[1];
    return std::min({least, at((alpha - rho) / (beta - delta)), at((alpha + rho) / (beta + delta))});
  }
  // (beta^2 - dd) l^2 - 2 (alpha beta - rd) l + alpha^2 - rr = 0
  const double A = beta * beta - dd, B = alpha * beta - rd, C = alpha * alpha - rr;
  const double square = B * B - A * C;
  if (square < 0) return least;
  const double root = B + std::copysign(std::sqrt(square), B);
  return std::min({least, at(root / A), at(C / root)});
}

// Boxes around runs of segments, halved down to a few; node k has the children 2k + 1 and 2k + 2.
class Tree {
 public:
  explicit Tree(const Polyline& line) : line_(line), w_(line.width()) {
    std::size_t nodes = 1;
    while (kLeaf * (nodes + 1) / 2 < line.segments()) nodes = 2 * nodes + 1;
    boxes_.resize(nodes * 2 * w_);
    leaves_ = (nodes + 1) / 2;
    fill(0, 0, leaves_);
  }

  struct Near {
    std::size_t segment = 0;
    double distance = std::numeric_limits<double>::infinity();
  };

  double distance(const double* p, std::size_t segment) const {
    return to_segment(p, line_.point(segment), line_.point(segment + 1), w_);
  }

  /// The nearest segment, or the first one found that is not farther than `enough`. `guess` is where to begin.
  Near nearest(const double* p, std::size_t guess, double enough) const {
    Near best{guess, distance(p, guess)};
    if (best.distance <= enough) return best;
    struct Open {
      std::size_t node, first, last;
      double bound;
    };
    std::array<Open, 128> stack;
    std::size_t open = 0;
    stack[open++] = {0, 0, leaves_, to_box(p, 0)};
    while (open > 0) {
      const Open o = stack[--open];
      if (o.bound >= best.distance) continue;
      if (o.last - o.first == 1) {
        const auto [from, to] = range(o.first);
        for (std::size_t i = from; i < to; ++i)
          if (const double d = distance(p, i); d < best.distance) best = {i, d};
        if (best.distance <= enough) return best;
        continue;
      }
      const std::size_t middle = (o.first + o.last) / 2;
      Open left{2 * o.node + 1, o.first, middle, to_box(p, 2 * o.node + 1)};
      Open right{2 * o.node + 2, middle, o.last, to_box(p, 2 * o.node + 2)};
      if (left.bound > right.bound) std::swap(left, right);
      stack[open++] = right;  // the nearer one is looked at first
      stack[open++] = left;
    }
    return best;
  }

 private:
  static constexpr std::size_t kLeaf = 4;  // segments

  std::pair<std::size_t, std::size_t> range(std::size_t leaf) const {
    const std::size_t n = line_.segments();
    return {leaf * n / leaves_, (leaf + 1) * n / leaves_};
  }

  void fill(std::size_t node, std::size_t first, std::size_t last) {
    double* box = boxes_.data() + node * 2 * w_;
    std::fill(box, box + w_, std::numeric_limits<double>::infinity());
    std::fill(box + w_, box + 2 * w_, -std::numeric_limits<double>::infinity());
    if (last - first > 1) {
      const std::size_t middle = (first + last) / 2;
      fill(2 * node + 1, first, middle);
      fill(2 * node + 2, middle, last);
      for (std::size_t child : {2 * node + 1, 2 * node + 2})
        for (std::size_t k = 0; k < w_; ++k) {
          box[k] = std::min(box[k], boxes_[child * 2 * w_ + k]);
          box[w_ + k] = std::max(box[w_ + k], boxes_[child * 2 * w_ + w_ + k]);
        }
      return;
    }
    const auto [from, to] = range(first);
    for (std::size_t i = from; from < to && i <= to; ++i)
      for (std::size_t k = 0; k < w_; ++k) {
        box[k] = std::min(box[k], line_.point(i)[k]);
        box[w_ + k] = std::max(box[w_ + k], line_.point(i)[k]);
      }
  }

  double to_box(const double* p, std::size_t node) const {
    const double* box = boxes_.data() + node * 2 * w_;
    const auto outside = [&](std::size_t k) { return std::max({box[k] - p[k], p[k] - box[w_ + k], 0.0}); };
    double sum = 0;
    for (std::size_t k = 1; k < w_; ++k) sum += outside(k) * outside(k);
    return std::max(outside(0), w_ == 2 ? outside(1) : std::sqrt(sum));
  }

  const Polyline& line_;
  std::size_t w_, leaves_ = 1;
  std::vector<double> boxes_;
};

class Excess {
 public:
  Excess(const Polyline& of, const Polyline& from, double at_least)
      : of_(of), tree_(from), best_(at_least), point_(of.width()) {}

  /// The largest distance, or `at_least` if none is above it; `t` is left alone in that case.
  double find(double& t) {
    t_ = t;
    const std::size_t n = of_.segments();
    // A few vertices first: the larger the value to beat, the more is passed over.
    for (std::size_t i = 0, guess = 0; i <= n; i += std::max<std::size_t>(1, n / 256))
      guess = look(of_.point(i), guess).segment;
    End left{0, look(of_.point(0), 0)};
    for (std::size_t i = 0; i < n; ++i) {
      a_ = of_.point(i);
      b_ = of_.point(i + 1);
      const End right{1, look(b_, left.near.segment)};
      piece(left, right, 0);
      left = {0, right.near};
    }
    t = t_;
    return best_;
  }

 private:
  struct End {
    double at;  // along the segment
    Tree::Near near;
  };

  Tree::Near look(const double* p, std::size_t guess) {
    const Tree::Near near = tree_.nearest(p, guess, best_);
    if (near.distance > best_) {
      best_ = near.distance;
      t_ = p[0];
    }
    return near;
  }

  const double* on_segment(double l) {
    for (std::size_t k = 0; k < point_.size(); ++k) point_[k] = (1 - l) * a_[k] + l * b_[k];
    return point_.data();
  }
  double distance(double l, std::size_t segment) { return tree_.distance(on_segment(l), segment); }

  // Where the distances to the segments nearest to the two ends are equal: bisection with secants (Illinois).
  double crossing(const End& left, const End& right) {
    double l = left.at, r = right.at;
    double fl = left.near.distance - distance(l, right.near.segment);
    double fr = distance(r, left.near.segment) - right.near.distance;
    int side = 0;
    for (int i = 0; i < 100 && r - l > 1e-15 && fl < 0 && fr > 0; ++i) {
      double c = i % 8 == 7 ? (l + r) / 2 : (l * fr - r * fl) / (fr - fl);
      if (!(c > l && c < r)) c = (l + r) / 2;
      const double f = distance(c, left.near.segment) - distance(c, right.near.segment);
      if (f == 0) return c;
      if (f < 0) {
        l = c, fl = f;
        if (side == -1) fr /= 2;
        side = -1;
      } else {
        r = c, fr = f;
        if (side == 1) fl /= 2;
        side = 1;
      }
    }
    return -fl < fr ? l : r;
  }

  void piece(const End& left, const End& right, int depth) {
    if (left.near.segment == right.near.segment) return;  // convex: the ends say it all
    if (distance(right.at, left.near.segment) <= best_ || distance(left.at, right.near.segment) <= best_) return;
    if (right.at - left.at < 1e-14 || depth > 200) return;
    const double cut = crossing(left, right);
    const double there = std::max(distance(cut, left.near.segment), distance(cut, right.near.segment));
    if (there <= best_ || cut <= left.at || cut >= right.at) return;
    on_segment(cut);
    const End middle{cut, look(point_.data(), left.near.segment)};
    if (middle.near.segment == left.near.segment || middle.near.segment == right.near.segment) return;
    piece(left, middle, depth + 1);
    piece(middle, right, depth + 1);
  }

  const Polyline& of_;
  Tree tree_;
  double best_, t_ = 0;
  const double *a_ = nullptr, *b_ = nullptr;
  std::vector<double> point_;
};

void check(const FilledGraph& g, const char* which) {
  if (g.size() == 0) throw InputError(which, "there are no samples; accepted: one or more");
  for (std::size_t i = 0; i < g.size(); ++i) {
    bool finite = std::isfinite(g.t[i]);
    for (int k = 0; k < g.dim; ++k) finite = finite && std::isfinite(g.at(i)[k]);
    if (!finite) throw InputError(which, "a sample is not finite; accepted: numbers");
    if (i > 0 && g.t[i] < g.t[i - 1]) throw InputError(which, "time goes back; accepted: times that do not decrease");
  }
}

void check(const FilledGraph& first, const FilledGraph& second, const HausdorffScales& scales) {
  check(first, "first graph");
  check(second, "second graph");
  if (first.dim != second.dim)
    throw InputError("graphs", "their values have different dimensions; accepted: equal ones");
  if (!(scales.time > 0) || !(scales.value > 0)) throw InputError("scales", "not positive; accepted: > 0");
}

}  // namespace

HausdorffDistance excess(const FilledGraph& of, const FilledGraph& from, const HausdorffScales& scales) {
  check(of, from, scales);
  const Polyline a(of, scales), b(from, scales);
  HausdorffDistance out;
  double t = a.point(0)[0];
  out.distance = Excess(a, b, 0).find(t);
  out.t = t * scales.time;
  return out;
}

HausdorffDistance hausdorff(const FilledGraph& first, const FilledGraph& second, const HausdorffScales& scales) {
  check(first, second, scales);
  const Polyline a(first, scales), b(second, scales);
  HausdorffDistance out;
  double t = a.point(0)[0];
  const double one = Excess(a, b, 0).find(t);
  const double both = Excess(b, a, one).find(t);  // only what is farther counts
  return {both, t * scales.time, !(both > one)};
}

}  // namespace ricochet
