// Multipliers of least norm. A solution has velocities u; the multipliers that give the same ones are a convex set,
//     { p : W p = c, p in F },      c = W p_0,
// where F is, block by block, the face of the cone that u leaves: nothing where a contact opens, the ray against u_T
// where it slides, the whole cone where it sticks, the whole space of a joint. Its point of least norm is a projection,
//     p = P_F(W^T y),      W P_F(W^T y) = c,
// with y the maximum of the concave y . c - |P_F(W^T y)|^2 / 2, found by Newton with a line search. W V W^T, V the
// derivative of P_F, is singular where contacts are redundant: a proximal term eps |y - y_k|^2 / 2 keeps it regular and
// is driven to zero. Whatever y is, p = P_F(W^T y) has the least norm of all multipliers with *its* velocities; what is
// iterated on is only that these are the given ones. So the iteration stops as soon as they are, to the accuracy of
// the given solution, before singular values that are round-off would count.
// Rockafellar, Math. Oper. Res. 1 (1976); Li, Sun and Toh, SIAM J. Optim. 28 (2018).
#include <cmath>

#include "ricochet/math/cone.hpp"
#include "ricochet/solver/frame/frame.hpp"
#include "ricochet/solver/iterative/contact_map.hpp"
#include "ricochet/solver/linear/block_lu.hpp"

namespace ricochet::detail {
namespace {

constexpr int kLargestFormed = 1500;        ///< rows up to which a factored W is formed
constexpr long long kMostBlocks = 2000000;  ///< of W W^T
constexpr int kNewtonSteps = 500;
constexpr int kPatience = 8;  ///< proximal steps without half the error

/// Up to three rows with the set in which their multipliers may live.
struct Face {
  enum class Kind { rows, ray, cone } kind = Kind::rows;
  int row = 0, dim = 0;
  enum class Row : char { zero, nonnegative, free } rows[3] = {};  ///< of Kind::rows, one by one
  double mu = 0, ray[3] = {0, 0, 0};                               ///< unit vector
};

using Row = Face::Row;

/// P_F(y) and its derivative, column major. At zero the derivative towards the inside.
void project(const Face& face, const double* y, double* p, double* V) {
  std::fill_n(V, 9, 0.0), std::fill_n(p, 3, 0.0);
  switch (face.kind) {
    case Face::Kind::rows:
      for (int i = 0; i < face.dim; ++i)
        if (face.rows[i] == Row::free || (face.rows[i] == Row::nonnegative && y[i] >= 0)) p[i] = y[i], V[4 * i] = 1;
      return;
    case Face::Kind::ray: {
      const double* g = face.ray;
      const double along = g[0] * y[0] + g[1] * y[1] + g[2] * y[2];
      if (along < 0) return;
      for (int j = 0; j < 3; ++j) {
        p[j] = along * g[j];
        for (int i = 0; i < 3; ++i) V[i + 3 * j] = g[i] * g[j];
      }
      return;
    }
    case Face::Kind::cone:
      std::copy(y, y + 3, p);
      if (y[0] == 0 && y[1] == 0 && y[2] == 0) {
        V[0] = V[4] = V[8] = 1;
        return;
      }
      ricochet::project(Cone::second_order, 3, face.mu, p);
      ContactMap map;
      const double rest[3] = {0, 0, 0};
      alart_curnier(face.mu, true, 1, y, rest, map);
      std::copy(map.B, map.B + 9, V);
  }
}

/// What the velocities leave of a cone with friction; those up to `small` count as zero. The ray of a sliding contact
/// is that of p - rho u^: of p itself where there is one, against u_T where there is none.
Face face_of(const ConeBlock& block, double rho, const double* p, const double* u, double small) {
  Face face;
  face.row = block.row, face.dim = block.dim;
  const double tangential = block.dim == 2 ? std::abs(u[1]) : std::sqrt(u[1] * u[1] + u[2] * u[2]);
  const double opening = block.cone == Cone::coulomb ? u[0] : u[0] - block.mu * tangential;
  if (opening > small) return face;
  face.kind = Face::Kind::cone;
  face.mu = block.mu;
  if (block.mu > 0 && tangential <= small) return face;
  face.kind = Face::Kind::ray;
  double z[3] = {1, p[1] - rho * u[1], block.dim == 3 ? p[2] - rho * u[2] : 0};
  const double size = std::sqrt(z[1] * z[1] + z[2] * z[2]), length = std::sqrt(1 + block.mu * block.mu);
  face.ray[0] = 1 / length;
  for (int i = 1; i < 3 && block.mu > 0 && size > 0; ++i) face.ray[i] = block.mu / length * z[i] / size;
  return face;
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

class LeastNorm {
 public:
  bool take(const Problem& problem, const Goal& goal, const Solution& solution, double generosity) {
    faces(problem, goal, solution, generosity);
    if (!matrix(problem) || !square()) return false;
    const std::size_t n = 3 * static_cast<std::size_t>(n_);
    unit_ = largest(solution.p.data(), problem.rows);
    unit_ = unit_ > 0 ? std::ldexp(1.0, std::ilogb(unit_)) : 1;
    p_.assign(n, 0.0);
    for (int i = 0; i < problem.rows; ++i) p_[place_[i]] = solution.p[i] / unit_;
    c_.resize(n), y_.assign(n, 0.0), center_.assign(n, 0.0);
    g_.resize(n), step_.resize(n), trial_.resize(n), pull_.resize(n);
    V_.resize(9 * static_cast<std::size_t>(n_));
    times(p_, c_);
    return true;
  }

  /// p for the y of now.
  void give(const Problem& problem, double* p) const {
    for (int i = 0; i < problem.rows; ++i) p[i] = p_[place_[i]] * unit_;
  }

  /// Proximal steps until the error that `measure` finds is `enough`, or `bearable` and no longer falls.
  template <class Measure>
  double run(double enough, double bearable, Measure measure) {
    lu_.analyse(n_, square_pointers_, square_columns_);
    double eps = 1e-2, least = std::numeric_limits<double>::infinity(), error = least;
    newton_left_ = kNewtonSteps;
    for (int stale = 0; newton_left_ > 0 && stale < kPatience;) {
      const int before = newton_left_;
      const bool solved = inner(eps);
      error = measure();
      stale = error < 0.5 * least ? 0 : stale + 1;
      least = std::min(least, error);
      if (error <= enough || !solved || (stale > 1 && error <= bearable)) break;
      center_ = y_;
      const int used = before - newton_left_;
      if (used <= 6) eps = std::max(1e-14, eps * (used <= 3 ? 0.03 : 0.1));
    }
    return error;
  }

 private:
  void faces(const Problem& problem, const Goal& goal, const Solution& solution, double generosity) {
    faces_.clear();
    place_.resize(static_cast<std::size_t>(problem.rows));
    const double *p = solution.p.data(), *u = solution.u.data();
    const auto rho_of = [&problem](const ConeBlock& block) {
      double trace = 0;
      for (int i = 0; i < block.dim; ++i) trace += problem.W.diagonal(block.row + i);
      return trace > 0 ? block.dim / trace : 1;
    };
    double load = 0, size = 0;  // |rho b|^2, |p|^2
    for (const ConeBlock& block : problem.blocks) {
      const double rho = rho_of(block);
      for (int i = block.row; i < block.row + block.dim; ++i)
        load += rho * problem.b[i] * (rho * problem.b[i]), size += p[i] * p[i];
    }
    // Velocities that a solution with this error cannot tell from zero, and those that its tolerance bears as such.
    const double share = goal.tolerance / (goal.relative() ? std::sqrt(static_cast<double>(problem.blocks.size())) : 1);
    const double least = generosity * std::max(0.5 * share, 2 * solution.residual);
    for (const ConeBlock& block : problem.blocks) {
      const double rho = rho_of(block);
      const double small = goal.relative() ? least * std::sqrt(std::max(load, size)) / rho : least;
      if (block.cone == Cone::coulomb || block.cone == Cone::second_order) {
        faces_.push_back(face_of(block, rho, p + block.row, u + block.row, small));
        continue;
      }
      for (int i = 0; i < block.dim; i += 3) {
        Face face;
        face.row = block.row + i, face.dim = std::min(3, block.dim - i);
        for (int k = 0; k < face.dim; ++k)
          face.rows[k] = block.cone == Cone::free ? Row::free : u[face.row + k] > small ? Row::zero : Row::nonnegative;
        faces_.push_back(face);
      }
    }
    n_ = static_cast<int>(faces_.size());
    for (int a = 0; a < n_; ++a)
      for (int i = 0; i < faces_[a].dim; ++i) place_[static_cast<std::size_t>(faces_[a].row + i)] = 3 * a + i;
  }

  /// W by rows of blocks, its rows divided by the power of two at their norm.
  bool matrix(const Problem& problem) {
    if (problem.W.storage() == Delassus::Storage::factored && problem.rows > kLargestFormed) return false;
    found_.resize(std::max(found_.size(), static_cast<std::size_t>(n_)));
    for (int a = 0; a < n_; ++a) found_[a].clear();
    scale_.assign(3 * static_cast<std::size_t>(n_), 0.0);
    problem.W.for_each_entry([this](int i, int j, double value) {
      if (value == 0) return;
      scale_[place_[i]] += value * value;
      std::vector<int>& row = found_[place_[i] / 3];
      const int b = place_[j] / 3;
      if (row.empty() || row.back() != b) row.push_back(b);
    });
    for (double& s : scale_) s = s > 0 ? std::ldexp(1.0, -std::ilogb(std::sqrt(s))) : 0;
    pointers_.assign(1, 0), columns_.clear();
    for (int a = 0; a < n_; ++a) {
      std::sort(found_[a].begin(), found_[a].end());
      columns_.insert(columns_.end(), found_[a].begin(), std::unique(found_[a].begin(), found_[a].end()));
      pointers_.push_back(static_cast<int>(columns_.size()));
    }
    W_.assign(9 * columns_.size(), 0.0);
    problem.W.for_each_entry([this](int i, int j, double value) {
      if (value == 0) return;
      const int a = place_[i] / 3, b = place_[j] / 3;
      const auto begin = columns_.begin() + pointers_[a], end = columns_.begin() + pointers_[a + 1];
      const auto k = std::lower_bound(begin, end, b) - columns_.begin();
      W_[9 * static_cast<std::size_t>(k) + place_[i] % 3 + 3 * (place_[j] % 3)] = scale_[place_[i]] * value;
    });
    return true;
  }

  /// The pattern of W W^T; false if it is too large.
  bool square() {
    below_.resize(std::max(below_.size(), static_cast<std::size_t>(n_)));
    for (int b = 0; b < n_; ++b) below_[b].clear();
    for (int a = 0; a < n_; ++a)
      for (int k = pointers_[a]; k < pointers_[a + 1]; ++k) below_[columns_[k]].push_back({a, k});
    square_pointers_.assign(1, 0), square_columns_.clear();
    at_.assign(static_cast<std::size_t>(n_), -1);
    for (int a = 0; a < n_; ++a) {
      const std::size_t first = square_columns_.size();
      at_[a] = a;
      square_columns_.push_back(a);
      for (int k = pointers_[a]; k < pointers_[a + 1]; ++k)
        for (const Place& place : below_[columns_[k]])
          if (at_[place.row] != a) at_[place.row] = a, square_columns_.push_back(place.row);
      std::sort(square_columns_.begin() + static_cast<std::ptrdiff_t>(first), square_columns_.end());
      square_pointers_.push_back(static_cast<int>(square_columns_.size()));
      if (static_cast<long long>(square_columns_.size()) > kMostBlocks) return false;
    }
    return true;
  }

  void times(const std::vector<double>& x, std::vector<double>& out) const {
    for (int a = 0; a < n_; ++a) {
      double s[3] = {0, 0, 0};
      for (int k = pointers_[a]; k < pointers_[a + 1]; ++k) {
        const double *B = W_.data() + 9 * static_cast<std::size_t>(k), *v = x.data() + 3 * columns_[k];
        for (int i = 0; i < 3; ++i) s[i] += B[i] * v[0] + B[3 + i] * v[1] + B[6 + i] * v[2];
      }
      std::copy(s, s + 3, out.begin() + 3 * a);
    }
  }

  /// p_ := P_F(W^T y), V_, and g_ := W p - c + eps (y - center); returns what is minimised.
  double evaluate(const std::vector<double>& y, double eps) {
    std::fill(pull_.begin(), pull_.end(), 0.0);
    for (int a = 0; a < n_; ++a)
      for (int k = pointers_[a]; k < pointers_[a + 1]; ++k) {
        const double *B = W_.data() + 9 * static_cast<std::size_t>(k), *v = y.data() + 3 * a;
        double* out = pull_.data() + 3 * columns_[k];
        for (int j = 0; j < 3; ++j) out[j] += B[3 * j] * v[0] + B[3 * j + 1] * v[1] + B[3 * j + 2] * v[2];
      }
    for (int a = 0; a < n_; ++a)
      project(faces_[a], pull_.data() + 3 * a, p_.data() + 3 * a, V_.data() + 9 * static_cast<std::size_t>(a));
    times(p_, g_);
    double value = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double away = y[i] - center_[i];
      value += 0.5 * p_[i] * p_[i] - c_[i] * y[i] + 0.5 * eps * away * away;
      g_[i] += eps * away - c_[i];
    }
    return value;
  }

  /// step_ := -(W V W^T + eps)^-1 g
  void newton_step(double eps) {
    S_.assign(9 * square_columns_.size(), 0.0);
    for (int a = 0; a < n_; ++a) {
      for (int k = square_pointers_[a]; k < square_pointers_[a + 1]; ++k) at_[square_columns_[k]] = k;
      double* own = S_.data() + 9 * static_cast<std::size_t>(at_[a]);
      own[0] = own[4] = own[8] = eps;
      for (int k = pointers_[a]; k < pointers_[a + 1]; ++k) {
        const int c = columns_[k];
        const double *B = W_.data() + 9 * static_cast<std::size_t>(k), *V = V_.data() + 9 * static_cast<std::size_t>(c);
        double T[9];
        for (int j = 0; j < 3; ++j)
          for (int i = 0; i < 3; ++i)
            T[i + 3 * j] = B[i] * V[3 * j] + B[3 + i] * V[3 * j + 1] + B[6 + i] * V[3 * j + 2];
        for (const Place& place : below_[c]) {
          const double* R = W_.data() + 9 * static_cast<std::size_t>(place.block);
          double* out = S_.data() + 9 * static_cast<std::size_t>(at_[place.row]);
          for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i) out[i + 3 * j] += T[i] * R[j] + T[3 + i] * R[3 + j] + T[6 + i] * R[6 + j];
        }
      }
    }
    lu_.factorise(S_.data());
    for (std::size_t i = 0; i < g_.size(); ++i) step_[i] = -g_[i];
    lu_.solve(step_.data());
  }

  /// Newton from y_ with the proximal term about center_; true if it is solved as far as rounding goes.
  bool inner(double eps) {
    double value = evaluate(y_, eps), slope = norm(g_);
    const double length_of_c = norm(c_), round = 1e-15 * (1 + length_of_c);
    while (newton_left_ > 0) {
      if (slope <= round) return true;
      --newton_left_;
      newton_step(eps);
      double along = 0;
      for (std::size_t i = 0; i < g_.size(); ++i) along += g_[i] * step_[i];
      // A decrease below the rounding of what is minimised shows nothing: then the slope alone counts.
      const double value_round = 1e-15 * (std::abs(value) + length_of_c * norm(y_));
      const bool told = -along > value_round;
      double length = 1, next = 0, next_slope = 0;
      bool down = false;
      for (; length > 1e-6 && !down; length /= 2) {
        for (std::size_t i = 0; i < y_.size(); ++i) trial_[i] = y_[i] + length * step_[i];
        next = evaluate(trial_, eps), next_slope = norm(g_);
        down = (told && next <= value + 1e-4 * length * along) || next_slope <= 0.5 * slope;
      }
      if (!down) {
        evaluate(y_, eps);
        return true;
      }
      y_.swap(trial_);
      value = next, slope = next_slope;
      double miss = 0;  // |W p - c|: the proximal term's share of g, which the next centre takes over
      for (std::size_t i = 0; i < y_.size(); ++i) {
        const double away = g_[i] - eps * (y_[i] - center_[i]);
        miss += away * away;
      }
      if (slope <= 0.05 * std::sqrt(miss)) return true;
    }
    return false;
  }

  struct Place {
    int row, block;
  };
  int n_ = 0, newton_left_ = 0;
  double unit_ = 1;  ///< of p
  std::vector<Face> faces_;
  std::vector<int> place_;  ///< of each row of the problem among the rows of blocks
  std::vector<int> pointers_, columns_, square_pointers_, square_columns_, at_;
  std::vector<std::vector<int>> found_;
  std::vector<std::vector<Place>> below_;  ///< blocks of each column
  std::vector<double> scale_, W_, S_, V_, p_, c_, y_, center_, g_, step_, trial_, pull_;
  BlockLU lu_;
};

}  // namespace

void least_norm(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  solution.minimum_norm = false;
  if (problem.rows == 0 || solution.status != SolveStatus::converged || expandable(problem)) return;
  LeastNorm& method = scratch.of<LeastNorm>();
  Buffer& point = scratch.last;
  double *p = point.need(2 * problem.rows), *u = p + problem.rows;
  const double floor = goal.relative() ? 1e-13 : 1e-13 * goal.size;
  const double enough = std::max(0.5 * std::min(goal.tolerance, 10 * solution.residual), floor);
  // Solvers leave contacts that stick at the edge of their cone with a trace of sliding: first they may stick.
  for (const double generosity : {30.0, 1.0}) {
    if (!method.take(problem, goal, solution, generosity)) return;
    const double error = method.run(enough, goal.tolerance, [&] {
      method.give(problem, p);
      velocities(problem, p, u, scratch.y);
      return goal.error(problem, p, u);
    });
    if (!(error <= goal.tolerance)) continue;
    std::copy(p, p + problem.rows, solution.p.data());
    std::copy(u, u + problem.rows, solution.u.data());
    solution.residual = error;
    solution.minimum_norm = true;
    return;
  }
}

}  // namespace ricochet::detail
