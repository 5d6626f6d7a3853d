#include "ricochet/model/force/frame_forces.hpp"

namespace ricochet {
namespace {

struct Item {
  FramePair pair;
  FrameForce force;
};

struct Work final : Scratch {
  std::vector<std::vector<double>> formulas;  ///< by item
};

/// A force and what it depends on.
struct Law {
  double F = 0, F_x = 0, F_v = 0;
  double static_part = 0;  ///< F at x' = 0
  double V = 0;
  bool potential = true;  ///< of the static part
};

/// Measure, its row over the coordinates, its rate.
struct Measured {
  FramePair::Placed at;
  PairVector wrench;
  FramePair::Row G;
  double x, rate;
  Measured(const Item& item, const Point& p)
      : at(item.pair.place(p.q)),
        wrench(gradient(item.force.measure, at.A, at.B)),
        x(value(item.force.measure, at.A, at.B)) {
    item.pair.pull(at, wrench, G.data());
    rate = along(item.pair, p.v);
  }
  double along(const FramePair& pair, ConstView w) const {
    double sum = 0;
    for (int i = 0; i < pair.coordinates(); ++i) sum += G[static_cast<std::size_t>(i)] * w[pair[i]];
    return sum;
  }
};

class FrameForces final : public ForceSet {
 public:
  FrameForces(const std::vector<Mount>& mounts, std::vector<FrameForce> forces) {
    for (FrameForce& f : forces) items_.push_back({{mounts, f.A, f.B}, std::move(f)});
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    for (const Item& i : items_) out.push_back(i.force.name);
    return out;
  }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const Item& i : items_) i.pair.couple(out);
  }
  std::unique_ptr<Scratch> make_scratch() const override {
    auto work = std::make_unique<Work>();
    work->formulas.resize(items_.size());
    return work;
  }

  void residual(const Point& at, double c, View y, Scratch& scratch) const override {
    for (std::size_t k = 0; k < items_.size(); ++k) {
      const FramePair& pair = items_[k].pair;
      const Measured m(items_[k], at);
      const double F = c * law(k, m, at.t, scratch).F;
      for (int i = 0; i < pair.coordinates(); ++i) y[pair[i]] -= F * m.G[static_cast<std::size_t>(i)];
    }
  }
  // d(F G)/dq = F_x G G^T + F_v G (dx'/dq)^T + F dG/dq,   d(F G)/dv = F_v G G^T
  void tangents(const Point& at, double c_K, double c_C, Operator& S, Scratch& scratch) const override {
    for (std::size_t k = 0; k < items_.size(); ++k) {
      const Item& item = items_[k];
      const FramePair& pair = item.pair;
      const Measured m(item, at);
      const Law f = law(k, m, at.t, scratch);
      PairMatrix H = PairMatrix::Zero();
      add_tangent(item.force.measure, m.at.A, m.at.B, 1, H);
      if (c_K != 0 && f.F != 0) pair.add_tangent(m.at, -c_K * f.F * m.wrench, -c_K * f.F * H, S);
      FramePair::Row turn{};
      if (c_K != 0 && f.F_v != 0) pair.rate(m.at, m.wrench, H.transpose() * pair.twist(m.at, at.v), at.v, turn.data());
      for (int j = 0; j < pair.coordinates(); ++j) {
        const double by_x = (c_K * f.F_x + c_C * f.F_v) * m.G[static_cast<std::size_t>(j)] +
                            c_K * f.F_v * turn[static_cast<std::size_t>(j)];
        if (by_x == 0) continue;
        for (int i = 0; i < pair.coordinates(); ++i) S.add(pair[i], pair[j], -m.G[static_cast<std::size_t>(i)] * by_x);
      }
    }
  }
  double potential(const Point& at, Scratch& scratch) const override {
    double V = 0;
    for (std::size_t k = 0; k < items_.size(); ++k) V += law(k, {items_[k], at}, at.t, scratch).V;
    return V;
  }
  Power power(const Point& at, ConstView w, Scratch& scratch) const override {
    Power sum;
    for (std::size_t k = 0; k < items_.size(); ++k) {
      const Measured m(items_[k], at);
      const Law f = law(k, m, at.t, scratch);
      const double rate = m.along(items_[k].pair, w);
      (f.potential ? sum.potential : sum.external) += f.static_part * rate;
      sum.damping += (f.F - f.static_part) * rate;
    }
    return sum;
  }
  double potential_curvature(const Point& at, ConstView w, Scratch& scratch) const override {
    double sum = 0;
    for (std::size_t k = 0; k < items_.size(); ++k) {
      const Item& item = items_[k];
      const Measured m(item, at);
      const Law f = law(k, m, at.t, scratch);
      if (!f.potential) continue;
      PairMatrix H = PairMatrix::Zero();
      add_tangent(item.force.measure, m.at.A, m.at.B, 1, H);
      const PairVector twist = item.pair.twist(m.at, w);
      const double rate = m.along(item.pair, w);
      sum -= f.F_x * rate * rate + f.static_part * (twist.dot(H * twist) + m.wrench.dot(item.pair.bias(m.at, w)));
    }
    return sum;
  }

 private:
  Law law(std::size_t k, const Measured& m, double t, Scratch& scratch) const {
    const FrameForce& f = items_[k].force;
    if (!f.formula.empty()) {
      const double in[3] = {m.x, m.rate, t};
      const double* out = f.formula(in, static_cast<Work&>(scratch).formulas[k]);
      return {out[0], out[1], out[2], out[3], 0, false};
    }
    if ((f.acts == FrameForce::Acts::tension && m.x < 0) || (f.acts == FrameForce::Acts::compression && m.x > 0))
      return {};
    const double elastic = -(f.preload + f.stiffness * m.x);
    return {elastic - f.damping * m.rate,
            -f.stiffness,
            -f.damping,
            elastic,
            m.x * (f.preload + 0.5 * f.stiffness * m.x),
            true};
  }

  std::vector<Item> items_;
};

}  // namespace

std::unique_ptr<ForceSet> make_frame_forces(const std::vector<Mount>& mounts, std::vector<FrameForce> forces) {
  return std::make_unique<FrameForces>(mounts, std::move(forces));
}

}  // namespace ricochet
