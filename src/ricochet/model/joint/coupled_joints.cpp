#include "ricochet/model/joint/coupled_joints.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

/// The coordinates of up to four mounts, each once.
struct Support {
  Range ranges[4];
  int count = 0, length = 0;
  void add(const Mount& m) {
    const Range r = m.coordinates();
    if (r.n == 0 || std::any_of(ranges, ranges + count, [&](const Range& x) { return x.at == r.at; })) return;
    ranges[count++] = r;
    length += r.n;
  }
  int place(int coordinate) const {
    int first = 0;
    for (int k = 0; k < count; ++k) {
      if (coordinate >= ranges[k].at && coordinate < ranges[k].at + ranges[k].n)
        return first + coordinate - ranges[k].at;
      first += ranges[k].n;
    }
    return -1;
  }
};

struct Side {
  FramePair pair;
  FrameRow measure;
  double weight;  ///< of the measure in g
};

struct CoupledItem {
  std::string name;
  Side sides[2];
  double period;
  Support support;
};

class CoupledJoints final : public ConstraintSet {
 public:
  CoupledJoints(const std::vector<Mount>& mounts, std::vector<CoupledJoint> joints) {
    for (CoupledJoint& j : joints) {
      CoupledItem item{std::move(j.name),
                       {{{mounts, j.first.A, j.first.B}, j.first.measure, -j.ratio},
                        {{mounts, j.second.A, j.second.B}, j.second.measure, 1}},
                       j.period,
                       {}};
      for (const Frame* f : {&j.first.A, &j.first.B, &j.second.A, &j.second.B})
        item.support.add(mounts[static_cast<std::size_t>(f->mount)]);
      items_.push_back(std::move(item));
    }
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const CoupledItem& i : items_) out.push_back({i.name, 1, true});
    return out;
  }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const CoupledItem& i : items_)
      for (const Side& s : i.sides) s.pair.couple(out);
  }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < items_.size(); ++i)
      out.push_back({item_key(set, i),
                     set,
                     static_cast<int>(i),
                     1,
                     nullptr,
                     {items_[i].sides[0].pair.bodies()[1], items_[i].sides[1].pair.bodies()[1]}});
  }
  void evaluate(double, ConstView q, const Selection& selection, ConstraintRows& out, Scratch&) const override {
    for (int k = 0; k < selection.count; ++k) {
      const CoupledItem& item = items_[selection[k].item];
      double* row = out.G.add(1, item.support.ranges, item.support.count);
      double sum = 0;
      for (const Side& s : item.sides) {
        const FramePair::Placed at = s.pair.place(q);
        sum += s.weight * value(s.measure, at.A, at.B);
        FramePair::Row part;
        s.pair.pull(at, s.weight * gradient(s.measure, at.A, at.B), part.data());
        add(item, s, part, row);
      }
      const auto [g, g_t] = out.values(1);
      g[0] = item.period > 0 ? sum - item.period * std::nearbyint(sum / item.period) : sum;
      g_t[0] = 0;
    }
  }
  void curvature(double, ConstView q, const Candidate& c, int, const double* lambda, double coefficient, Operator& S,
                 Scratch&) const override {
    for (const Side& s : items_[c.item].sides) {
      const FramePair::Placed at = s.pair.place(q);
      const double weight = s.weight * coefficient * lambda[0];
      PairMatrix H = PairMatrix::Zero();
      add_tangent(s.measure, at.A, at.B, weight, H);
      s.pair.add_tangent(at, weight * gradient(s.measure, at.A, at.B), H, S);
    }
  }
  void rate(const Point& at, const Candidate& c, int, Jacobian& out, Scratch&) const override {
    const CoupledItem& item = items_[c.item];
    double* row = out.add(1, item.support.ranges, item.support.count);
    for (const Side& s : item.sides) {
      const FramePair::Placed placed = s.pair.place(at.q);
      PairMatrix H = PairMatrix::Zero();
      add_tangent(s.measure, placed.A, placed.B, s.weight, H);
      FramePair::Row part;
      s.pair.rate(placed, s.weight * gradient(s.measure, placed.A, placed.B),
                  H.transpose() * s.pair.twist(placed, at.v), at.v, part.data());
      add(item, s, part, row);
    }
  }
  void bias(const Point& at, const Candidate& c, int, double* out, Scratch&) const override {
    out[0] = 0;
    for (const Side& s : items_[c.item].sides) {
      const FramePair::Placed placed = s.pair.place(at.q);
      const PairVector twist = s.pair.twist(placed, at.v), own = s.pair.bias(placed, at.v);
      PairMatrix H = PairMatrix::Zero();
      add_tangent(s.measure, placed.A, placed.B, s.weight, H);
      out[0] += twist.dot(H * twist) + s.weight * gradient(s.measure, placed.A, placed.B).dot(own);
    }
  }

 private:
  static void add(const CoupledItem& item, const Side& s, const FramePair::Row& part, double* row) {
    for (int i = 0; i < s.pair.coordinates(); ++i)
      row[item.support.place(s.pair[i])] += part[static_cast<std::size_t>(i)];
  }

  std::vector<CoupledItem> items_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_coupled_joints(const std::vector<Mount>& mounts, std::vector<CoupledJoint> joints) {
  return std::make_unique<CoupledJoints>(mounts, std::move(joints));
}

int whole_denominator(double x) {
  constexpr int kMost = 10000;
  for (int q = 1; q <= kMost; ++q)
    if (const double p = x * q; std::abs(p - std::nearbyint(p)) <= 1e-12 * std::max(1.0, std::abs(p))) return q;
  return 0;
}

}  // namespace ricochet
