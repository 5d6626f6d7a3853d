#include "ricochet/model/joint/mean_ties.hpp"

#include <cmath>

#include "ricochet/math/symmetric_eigen.hpp"
#include "ricochet/model/joint/frame_row.hpp"

namespace ricochet {
namespace {

constexpr int kRows = 6;

/// What one node has in the rows.
struct Share {
  FramePair pair;
  std::array<FrameRow, kRows> rows;
  double weight;
  int first = 0;  ///< of its coordinates in a row of the tie
};

struct TieItem {
  std::string name;
  std::vector<Share> shares;
  std::vector<Range> ranges;  ///< of the frame's body, then of the nodes
  int body = 0;               ///< coordinates of the former
  int length = 0;
  std::array<int, 2> bodies{};

  TieItem(const std::vector<Mount>& mounts, MeanTie tie) : name(std::move(tie.name)) {
    const Range own = mounts[static_cast<std::size_t>(tie.A.mount)].coordinates();
    if (own.n > 0) ranges.push_back(own);
    length = body = own.n;
    double square = 0;
    for (const Vector3d& r : tie.r) square += r.squaredNorm();
    const auto count = static_cast<double>(tie.nodes.size());
    const double rho = std::sqrt(square / count);
    for (std::size_t k = 0; k < tie.nodes.size(); ++k) {
      const Frame B{tie.nodes[k], Vector3d::Zero(), Matrix3d::Identity()};
      Share& s = shares.emplace_back(Share{{mounts, tie.A, B}, {}, 1 / count, length});
      for (int i = 0; i < 3; ++i) {
        const Vector3d e = Vector3d::Unit(i);
        s.rows[static_cast<std::size_t>(i)] = {FrameRow::Kind::coincide, e, e, 0};
        s.rows[static_cast<std::size_t>(3 + i)] = {FrameRow::Kind::in_plane, e.cross(tie.r[k]) / rho, e, 0};
      }
      ranges.push_back(mounts[static_cast<std::size_t>(tie.nodes[k])].coordinates());
      length += ranges.back().n;
    }
    bodies = shares.front().pair.bodies();
  }
  /// Adds a row over the coordinates of a share's pair to one over all.
  void add(const Share& s, const FramePair::Row& part, double* row) const {
    for (int i = 0; i < s.pair.coordinates(); ++i)
      row[i < body ? i : s.first + i - body] += part[static_cast<std::size_t>(i)];
  }
};

class MeanTies final : public ConstraintSet {
 public:
  MeanTies(const std::vector<Mount>& mounts, std::vector<MeanTie> ties) {
    for (MeanTie& t : ties) items_.emplace_back(mounts, std::move(t));
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const TieItem& i : items_) out.push_back({i.name, kRows, true});
    return out;
  }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const TieItem& i : items_)
      for (const Share& s : i.shares) s.pair.couple(out);
  }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < items_.size(); ++i)
      out.push_back({item_key(set, i), set, static_cast<int>(i), kRows, nullptr, items_[i].bodies});
  }
  void evaluate(double, ConstView q, const Selection& selection, ConstraintRows& out, Scratch&) const override {
    for (int k = 0; k < selection.count; ++k) {
      const TieItem& item = items_[selection[k].item];
      double* row = out.G.add(kRows, item.ranges.data(), static_cast<int>(item.ranges.size()));
      const auto [g, g_t] = out.values(kRows);
      std::fill_n(g, kRows, 0.0);
      std::fill_n(g_t, kRows, 0.0);
      for (const Share& s : item.shares) {
        const FramePair::Placed at = s.pair.place(q);
        for (int i = 0; i < kRows; ++i) {
          const FrameRow& measure = s.rows[static_cast<std::size_t>(i)];
          g[i] += s.weight * value(measure, at.A, at.B);
          FramePair::Row part;
          s.pair.pull(at, s.weight * gradient(measure, at.A, at.B), part.data());
          item.add(s, part, row + std::ptrdiff_t{i} * item.length);
        }
      }
    }
  }
  void curvature(double, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch&) const override {
    for (const Share& s : items_[c.item].shares) {
      const FramePair::Placed at = s.pair.place(q);
      PairMatrix H = PairMatrix::Zero();
      PairVector wrench = PairVector::Zero();
      for (int i = 0; i < dim; ++i) {
        const double weight = s.weight * coefficient * lambda[i];
        add_tangent(s.rows[static_cast<std::size_t>(i)], at.A, at.B, weight, H);
        wrench += weight * gradient(s.rows[static_cast<std::size_t>(i)], at.A, at.B);
      }
      s.pair.add_tangent(at, wrench, H, S);
    }
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch&) const override {
    const TieItem& item = items_[c.item];
    double* row = out.add(dim, item.ranges.data(), static_cast<int>(item.ranges.size()));
    for (const Share& s : item.shares) {
      const FramePair::Placed placed = s.pair.place(at.q);
      const PairVector twist = s.pair.twist(placed, at.v);
      for (int i = 0; i < dim; ++i) {
        const FrameRow& measure = s.rows[static_cast<std::size_t>(i)];
        PairMatrix H = PairMatrix::Zero();
        add_tangent(measure, placed.A, placed.B, s.weight, H);
        FramePair::Row part;
        s.pair.rate(placed, s.weight * gradient(measure, placed.A, placed.B), H.transpose() * twist, at.v, part.data());
        item.add(s, part, row + std::ptrdiff_t{i} * item.length);
      }
    }
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch&) const override {
    std::fill_n(out, dim, 0.0);
    for (const Share& s : items_[c.item].shares) {
      const FramePair::Placed placed = s.pair.place(at.q);
      const PairVector twist = s.pair.twist(placed, at.v), own = s.pair.bias(placed, at.v);
      for (int i = 0; i < dim; ++i) {
        const FrameRow& measure = s.rows[static_cast<std::size_t>(i)];
        PairMatrix H = PairMatrix::Zero();
        add_tangent(measure, placed.A, placed.B, s.weight, H);
        out[i] += twist.dot(H * twist) + s.weight * gradient(measure, placed.A, placed.B).dot(own);
      }
    }
  }

 private:
  std::vector<TieItem> items_;
};

}  // namespace

bool nodes_hold_rotations(const std::vector<Vector3d>& r) {
  Matrix3d I = Matrix3d::Zero();
  for (const Vector3d& x : r) I += x.squaredNorm() * Matrix3d::Identity() - x * x.transpose();
  const Vector3d moments = symmetric_eigenvalues(I);
  return moments[0] > 1e-6 * moments[2];
}

std::unique_ptr<ConstraintSet> make_mean_ties(const std::vector<Mount>& mounts, std::vector<MeanTie> ties) {
  return std::make_unique<MeanTies>(mounts, std::move(ties));
}

}  // namespace ricochet
