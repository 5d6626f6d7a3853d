#include "ricochet/solver/iterative/contacts.hpp"

#include <cmath>

#include "ricochet/solver/infeasibility.hpp"
#include "ricochet/solver/iterative/local.hpp"

namespace ricochet::detail {
namespace {

constexpr int kColoured = 600;     ///< contacts from which sweeps go colour by colour
constexpr int kSharedColour = 40;  ///< contacts of a colour that are worth sharing

/// The power of two at or below |x|; 1 for zero.
double power_below(double x) {
  int exponent = 0;
  if (!(x > 0) || !finite(x)) return 1;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, exponent - 1);
}

/// First contact and rows of each block of the given problem, one after another.
template <class Visit>
void for_each_contact(const Problem& problem, Visit visit) {
  int contact = 0;
  for (const ConeBlock& block : problem.blocks) {
    if (block.cone == Cone::nonnegative) {
      for (int i = 0; i < block.dim; ++i) visit(contact++, ConeBlock{block.cone, block.row + i, 1, 0});
    } else {
      visit(contact++, block);
    }
  }
}

/// visit(j, W_ij) of the entries kept in a row, dense or sparse.
template <class Visit>
void for_each_in_row(const Delassus& W, int i, Visit visit) {
  if (W.storage() == Delassus::Storage::dense) {
    for (int j = 0; j < W.rows(); ++j) visit(j, W(i, j));
    return;
  }
  W.for_each_block_in(W.block_of(i), [&](int row, int column, int rows, int columns, const double* value) {
    for (int c = 0; c < columns; ++c) visit(column + c, value[i - row + static_cast<Index>(c) * rows]);
  });
}

bool invert(const double* A, double* out) {
  const double c00 = A[4] * A[8] - A[7] * A[5], c10 = A[7] * A[2] - A[1] * A[8], c20 = A[1] * A[5] - A[4] * A[2];
  const double det = A[0] * c00 + A[3] * c10 + A[6] * c20;
  if (!(std::abs(det) > 1e-14)) return false;  // entries are of order one here
  const double f = 1 / det;
  out[0] = f * c00, out[1] = f * c10, out[2] = f * c20;
  out[3] = f * (A[6] * A[5] - A[3] * A[8]), out[4] = f * (A[0] * A[8] - A[6] * A[2]);
  out[5] = f * (A[3] * A[2] - A[0] * A[5]), out[6] = f * (A[3] * A[7] - A[6] * A[4]);
  out[7] = f * (A[6] * A[1] - A[0] * A[7]), out[8] = f * (A[0] * A[4] - A[3] * A[1]);
  return true;
}

/// One contact with the others frozen: u = W_aa x + b.
void solve_contact(const Contacts& c, int a, const double* b, double* x) {
  const double mu = c.mu[a];
  const bool associated = c.associated[a] != 0;
  const double* W = c.own.data() + 9 * static_cast<std::size_t>(a);
  if (b[0] >= 0 && (!associated || b[0] >= mu * std::sqrt(b[1] * b[1] + b[2] * b[2]))) {
    x[0] = x[1] = x[2] = 0;
    return;
  }
  if (mu == 0) {
    x[0] = -b[0] / W[0], x[1] = x[2] = 0;
    return;
  }
  const ConeBlock block{associated ? Cone::second_order : Cone::coulomb, 0, 3, mu};
  const double* V = c.inverse.data() + 9 * static_cast<std::size_t>(a);
  double stick[3];
  for (int i = 0; i < 3; ++i) stick[i] = -(V[i] * b[0] + V[3 + i] * b[1] + V[6 + i] * b[2]);
  if (stick[0] > 0) {
    if (stick[1] * stick[1] + stick[2] * stick[2] <= mu * mu * stick[0] * stick[0]) {
      std::copy(stick, stick + 3, x);
      return;
    }
    if (slides_in_space(block, W, b, stick, x)) return;
  }
  solve_local(block, W, b, x);
}

}  // namespace

/// Pattern and values as given; none if a diagonal block is not there.
void Contacts::copy_blocks() {
  const Delassus& given = problem_->W;
  pointers = given.pointers(), columns = given.columns();
  W.assign(given.blocks(), given.blocks() + 9 * columns.size());
  for (int a = 0; a < n; ++a)
    if (!std::binary_search(columns.begin() + pointers[a], columns.begin() + pointers[a + 1], a))
      return columns.clear();
}

/// The same row by row, of any storage.
void Contacts::gather_blocks() {
  const Problem& problem = *problem_;
  pointers.assign(n + 1, 0), columns.clear(), W.clear();
  auto& row = row_;
  auto& found = found_;
  auto& seen = seen_;
  seen.assign(n, -1);
  row.resize(9 * static_cast<std::size_t>(n));
  for (int i = 0, a = 0; a < n; ++a) {
    found.clear();
    const auto take_in = [&](int b) {
      if (seen[b] == a) return;
      seen[b] = a, found.push_back(b);
      std::fill_n(row.begin() + 9 * static_cast<std::ptrdiff_t>(b), 9, 0.0);
    };
    take_in(a);
    for (; i < problem.rows && contact_of_[i] == a; ++i)
      for_each_in_row(problem.W, i, [&](int j, double v) {
        if (v == 0) return;
        take_in(contact_of_[j]);
        row[9 * static_cast<std::size_t>(contact_of_[j]) + local_[i] + 3 * local_[j]] = v;
      });
    std::sort(found.begin(), found.end());
    for (const int b : found) {
      columns.push_back(b);
      W.insert(W.end(), row.begin() + 9 * b, row.begin() + 9 * b + 9);
    }
    pointers[a + 1] = static_cast<int>(columns.size());
  }
}

void Contacts::scale_blocks() {
  for (int a = 0; a < n; ++a)
    for (int k = pointers[a]; k < pointers[a + 1]; ++k) {
      const int b = columns[k];
      if (a == b) diagonal[a] = k;
      const double scale = s[a] * s[b];
      for (int i = 0; i < 9; ++i) W[9 * static_cast<std::size_t>(k) + i] *= per_row;
      for (int i = 0; i < 9; ++i) W[9 * static_cast<std::size_t>(k) + i] *= scale;
    }
}

void Contacts::form() {
  if (!columns.empty() || n == 0) return;
  const Delassus& given = *kept;
  given.copy_pattern(pointers, columns);
  W.resize(9 * columns.size());
  each([&](int a) {
    double* out = W.data() + 9 * static_cast<std::size_t>(pointers[a]);
    given.for_each_block_in(a, [&](int, int, int, int, const double* block) { out = std::copy_n(block, 9, out); });
  });
  scale_blocks();
}

void Contacts::take(const Problem& problem, Team* whole) {
  problem_ = &problem, team = whole;
  n = 0;
  for_each_contact(problem, [this](int, const ConeBlock&) { ++n; });
  const bool alike = n == static_cast<int>(problem.blocks.size());  // a contact for each block
  const auto visit_all = [&](auto visit) {
    if (!alike) return for_each_contact(problem, visit);
    each([&](int a) { visit(a, problem.blocks[static_cast<std::size_t>(a)]); });
  };
  mu.resize(n), s.resize(n), associated.resize(n), diagonal.resize(n);
  flat.resize(n), dead.assign(n, 0), looked_.resize(static_cast<std::size_t>(n));
  contact_of_.resize(problem.rows), local_.resize(problem.rows), mean_.resize(n);
  visit_all([&](int a, const ConeBlock& block) {
    mu[a] = block.cone == Cone::nonnegative ? 0 : block.mu;
    associated[a] = block.cone == Cone::second_order;
    double trace = 0;
    for (int i = 0; i < block.dim; ++i) {
      contact_of_[block.row + i] = a, local_[block.row + i] = i;
      trace += problem.W.diagonal(block.row + i);
    }
    flat[a] = !(trace > 0);
    mean_[a] = flat[a] ? 1 : trace / block.dim;
  });
  double largest_rho = 0;
  bool any_flat = false;
  for (int a = 0; a < n; ++a) {
    any_flat = any_flat || flat[a];
    if (!flat[a]) largest_rho = std::max(largest_rho, 1 / mean_[a]);
  }
  per_row = power_below(largest_rho);
  const Delassus& given = problem.W;
  const bool blocks = given.storage() == Delassus::Storage::sparse && given.block_dim() == 3 && 3 * n == problem.rows;
  kept = blocks && !given.formed() && !any_flat ? &given : nullptr;
  columns.clear();
  if (kept == nullptr) {
    if (blocks && given.formed()) copy_blocks();
    if (columns.empty()) gather_blocks();
    sort_out_flat();
  }
  for (int a = 0; a < n; ++a) s[a] = dead[a] ? 0 : std::sqrt(1 / (mean_[a] * per_row));
  if (kept == nullptr) scale_blocks();
  own.resize(9 * static_cast<std::size_t>(n)), inverse.resize(9 * static_cast<std::size_t>(n));
  visit_all([&](int a, const ConeBlock& block) {
    double* B = own.data() + 9 * static_cast<std::size_t>(a);
    if (kept != nullptr) {
      given.diagonal_block(block, B);
      for (int i = 0; i < 9; ++i) B[i] = B[i] * per_row * (s[a] * s[a]);
      return;
    }
    double* D = W.data() + 9 * static_cast<std::size_t>(diagonal[a]);
    // Rows that nothing acts on stand for themselves.
    for (int i = dead[a] ? 0 : block.dim; i < 3; ++i) D[4 * i] = 1;
    std::copy_n(D, 9, B);
  });
  const double fastest = largest(problem.b.data(), problem.rows);
  velocity = power_below(fastest);
  speed = fastest / velocity;
  force = velocity * per_row;
  q.assign(3 * static_cast<std::size_t>(n), 0.0);
  visit_all([&](int a, const ConeBlock& block) {
    for (int i = 0; i < block.dim; ++i) q[3 * a + i] = s[a] * (problem.b[block.row + i] / velocity);
  });
  load = 0;
  for (int a = 0; a < n; ++a)
    for (int i = 3 * a; i < 3 * a + 3; ++i) load += s[a] * q[i] * (s[a] * q[i]);
  load = std::sqrt(load);
  each([&](int a) {
    double* out = inverse.data() + 9 * static_cast<std::size_t>(a);
    if (!invert(own.data() + 9 * static_cast<std::size_t>(a), out)) std::fill_n(out, 9, 0.0);
  });
  colour();
}

template <class Visit>
void Contacts::for_each_neighbour(int a, Visit visit) const {
  if (kept != nullptr) return kept->for_each_touching(a, visit);
  for (int k = pointers[a]; k < pointers[a + 1]; ++k) visit(columns[k]);
  for (int k = transposed_start_[a]; k < transposed_start_[a + 1]; ++k) visit(transposed_[k]);
}

/// First fit in the order of the contacts; neighbours by W or its transpose.
void Contacts::colour() {
  order.clear(), colours.clear();
  if (n < kColoured) return;
  if (kept == nullptr) {
    transposed_start_.assign(n + 1, 0), transposed_.resize(columns.size());
    for (const int b : columns) ++transposed_start_[b + 1];
    for (int a = 0; a < n; ++a) transposed_start_[a + 1] += transposed_start_[a];
    seen_.assign(transposed_start_.begin(), transposed_start_.end() - 1);
    for (int a = 0; a < n; ++a)
      for (int k = pointers[a]; k < pointers[a + 1]; ++k) transposed_[seen_[columns[k]]++] = a;
  }
  colour_of_.assign(n, -1), forbidden_.assign(n + 1, -1);
  int count = 0;
  for (int a = 0; a < n; ++a) {
    for_each_neighbour(a, [&](int b) {
      if (colour_of_[b] >= 0) forbidden_[colour_of_[b]] = a;
    });
    int free = 0;
    while (forbidden_[free] == a) ++free;
    colour_of_[a] = free;
    count = std::max(count, free + 1);
  }
  colours.assign(count + 1, 0), order.resize(n);
  for (int a = 0; a < n; ++a) ++colours[colour_of_[a] + 1];
  for (int k = 0; k < count; ++k) colours[k + 1] += colours[k];
  seen_.assign(colours.begin(), colours.end() - 1);
  for (int a = 0; a < n; ++a) order[seen_[colour_of_[a]]++] = a;
}

/// A block that vanishes on the diagonal is nothing to W that is positive semi-definite; to others it may be coupled.
void Contacts::sort_out_flat() {
  bool any = false;
  for (int a = 0; a < n; ++a) dead[a] = flat[a], any = any || flat[a];
  if (!any) return;
  for (int a = 0; a < n; ++a)
    for (int k = pointers[a]; k < pointers[a + 1]; ++k)
      for (int i = 0; i < 9; ++i)
        if (W[9 * static_cast<std::size_t>(k) + i] != 0) dead[a] = dead[columns[k]] = 0;
}

void Contacts::import_multipliers(const Problem& problem, const double* p, double* x) const {
  std::fill(x, x + 3 * static_cast<Index>(n), 0.0);
  for_each_contact(problem, [&](int a, const ConeBlock& block) {
    for (int i = 0; i < block.dim && !dead[a]; ++i) x[3 * a + i] = p[block.row + i] / force / s[a];
  });
}

void Contacts::export_multipliers(const Problem& problem, const double* x, double* p) const {
  for_each_contact(problem, [&](int a, const ConeBlock& block) {
    for (int i = 0; i < block.dim; ++i) p[block.row + i] = s[a] * x[3 * a + i] * force;
  });
}

double* Contacts::pushed(const double* x) const {
  double *y = y_.need(kept->coordinates()), *p = scaled_.need(3 * static_cast<Index>(n));
  each([&](int a) {
    for (int i = 3 * a; i < 3 * a + 3; ++i) p[i] = s[a] * x[i];
  });
  kept->push(p, y, team);
  return y;
}

void Contacts::velocities(const double* x, double* u) const {
  if (kept != nullptr) {
    kept->pull(pushed(x), u, team);
    return each([&](int a) {
      for (int i = 3 * a; i < 3 * a + 3; ++i) u[i] = q[i] + per_row * s[a] * u[i];
    });
  }
  each([&](int a) {
    const double* B = W.data() + 9 * static_cast<std::size_t>(pointers[a]);
    double u0 = q[3 * a], u1 = q[3 * a + 1], u2 = q[3 * a + 2];
    for (int k = pointers[a]; k < pointers[a + 1]; ++k, B += 9) {
      const double* y = x + 3 * static_cast<Index>(columns[k]);
      u0 += B[0] * y[0] + B[3] * y[1] + B[6] * y[2];
      u1 += B[1] * y[0] + B[4] * y[1] + B[7] * y[2];
      u2 += B[2] * y[0] + B[5] * y[1] + B[8] * y[2];
    }
    u[3 * a] = u0, u[3 * a + 1] = u1, u[3 * a + 2] = u2;
  });
}

void natural_map(double mu, bool associated, const double* x, const double* u, double* out) {
  const double shift = associated ? 0 : mu * std::sqrt(u[1] * u[1] + u[2] * u[2]);
  const double hat = u[0] + shift, z0 = x[0] - hat, z1 = x[1] - u[1], z2 = x[2] - u[2];
  const double size = std::sqrt(z1 * z1 + z2 * z2);
  if (z0 >= 0 && size <= mu * z0) {
    out[0] = hat, out[1] = u[1], out[2] = u[2];
  } else if (mu * size <= -z0) {
    out[0] = x[0], out[1] = x[1], out[2] = x[2];
  } else {
    const double p = (z0 + mu * size) / (1 + mu * mu), f = mu * p / size;
    out[0] = x[0] - p, out[1] = x[1] - f * z1, out[2] = x[2] - f * z2;
  }
}

Contacts::Look Contacts::look(const double* x, const double* u) const {
  Seen* seen = looked_.data();
  each([&](int a) {
    double f[3];
    natural_map(mu[a], associated[a] != 0, x + 3 * a, u + 3 * a, f);
    const double unit = s[a] > 0 ? 1 / s[a] : 1;
    const int blocks = kept != nullptr ? kept->touching(a) : pointers[a + 1] - pointers[a];
    const double summed = std::min(0x1p-51 * 3 * blocks, 0.9 * kRoundOffOfTerms);
    Seen at{s[a] * s[a] * (f[0] * f[0] + f[1] * f[1] + f[2] * f[2])};
    for (int i = 0; i < 3; ++i) {
      const double residual = std::abs(f[i]) * unit;
      if (!(residual <= at.worst)) at.worst = residual;
      at.fastest = std::max(at.fastest, std::abs(u[3 * a + i]) * unit);
      const double part = std::abs(x[3 * a + i]) * unit;
      at.bits = std::max(at.bits, part);
      const double term = part * own[9 * static_cast<std::size_t>(a) + 4 * static_cast<std::size_t>(i)];
      at.rounding = std::max(at.rounding, summed * term);
    }
    seen[a] = at;
  });
  Seen all;
  all.fastest = speed;
  double size = 0;
  for (int a = 0; a < n; ++a) {
    const Seen& at = seen[a];
    const double w = s[a] * s[a];
    for (int i = 3 * a; i < 3 * a + 3; ++i) size += w * x[i] * x[i];
    all.map += at.map;
    if (!(at.worst <= all.worst)) all.worst = at.worst;
    all.fastest = std::max(all.fastest, at.fastest);
    all.bits = std::max(all.bits, at.bits), all.rounding = std::max(all.rounding, at.rounding);
  }
  size = std::sqrt(size);
  if (!(size >= load)) size = size == size ? load : size;
  return {size == 0 ? 0 : std::sqrt(all.map) / size, all.worst, all.fastest,
          std::min(0.9 * kRoundOffBits * all.bits, kMostRoundOff * all.fastest),
          std::min(all.rounding, 0.9 * kMostRoundOff * speed)};
}

double Contacts::error(Criterion criterion, const Look& look) const {
  if (criterion == Criterion::velocity) return look.worst <= look.rounding ? 0 : look.worst * velocity;
  if (look.worst <= look.round_off) return look.distance;
  const double violation = look.fastest > 0 ? look.worst / look.fastest : look.worst;
  return !(violation <= look.distance) ? violation : look.distance;
}

namespace {

/// The contact for itself with b of the others, and over-relaxed.
void solve_relaxed(const Contacts& c, int a, const double* b, double relaxation, double* x) {
  const double last[3] = {x[0], x[1], x[2]};
  solve_contact(c, a, b, x);
  if (relaxation == 1) return;
  for (int i = 0; i < 3; ++i) x[i] = last[i] + relaxation * (x[i] - last[i]);
  project(Cone::second_order, 3, c.mu[a], x);
}

/// u = q + W x of one contact by its blocks.
struct ByBlocks {
  const Contacts& c;
  double* x;
  void operator()(int a, double relaxation) const {
    if (c.flat[a]) return;  // the others alone decide about it
    double b[3] = {c.q[3 * a], c.q[3 * a + 1], c.q[3 * a + 2]};
    const double* B = c.W.data() + 9 * static_cast<std::size_t>(c.pointers[a]);
    const int own = c.diagonal[a];
    for (int l = c.pointers[a]; l < c.pointers[a + 1]; ++l, B += 9) {
      if (l == own) continue;
      const double* y = x + 3 * static_cast<Index>(c.columns[l]);
      b[0] += B[0] * y[0] + B[3] * y[1] + B[6] * y[2];
      b[1] += B[1] * y[0] + B[4] * y[1] + B[7] * y[2];
      b[2] += B[2] * y[0] + B[5] * y[1] + B[8] * y[2];
    }
    solve_relaxed(c, a, b, relaxation, x + 3 * static_cast<Index>(a));
  }
};

/// By L, Y and y = Y s x, which goes with it.
struct ByBodies {
  const Contacts& c;
  double* x;
  View y;
  void operator()(int a, double relaxation) const {
    const Jacobian &L = c.kept->left(), &Y = c.kept->right();
    const Jacobian::Block &in = L.blocks()[a], &out = Y.blocks()[a];
    const double *B = c.own.data() + 9 * static_cast<std::size_t>(a), factor = c.per_row * c.s[a];
    double b[3], *at = x + 3 * static_cast<Index>(a), change[3];
    for (int i = 0; i < 3; ++i) {
      const double others = factor * L.row_times(in, i, y) - (B[i] * at[0] + B[3 + i] * at[1] + B[6 + i] * at[2]);
      b[i] = c.q[3 * a + i] + others;
      change[i] = at[i];
    }
    solve_relaxed(c, a, b, relaxation, at);
    for (int i = 0; i < 3; ++i) change[i] = at[i] - change[i];
    Y.add_block_times(out, c.s[a], change, y);
  }
};

template <class Contact>
void sweep_all(const Contacts& c, double relaxation, const Contact& contact) {
  if (c.order.empty()) {
    for (int a = 0; a < c.n; ++a) contact(a, relaxation);
    return;
  }
  for (std::size_t k = 0; k + 1 < c.colours.size(); ++k) {
    const int* colour = c.order.data() + c.colours[k];
    share(c.team, c.colours[k + 1] - c.colours[k], kSharedColour, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) contact(colour[i], relaxation);
    });
  }
}

}  // namespace

void sweep(const Contacts& c, double* x, double relaxation) {
  if (c.kept == nullptr) return sweep_all(c, relaxation, ByBlocks{c, x});
  sweep_all(c, relaxation, ByBodies{c, x, View(c.pushed(x), c.kept->coordinates())});
}

void ContactWork::take(const Problem& given, const Goal& goal, const Solution& solution, SolverScratch& place) {
  scratch = &place;
  problem = &given;
  contacts.take(given, goal.team);
  lu.team = goal.team;
  contacts.load = std::max(contacts.load, goal.least / contacts.force);
  contacts.speed = std::max(contacts.speed, goal.fastest / contacts.velocity);
  criterion = goal.criterion;
  target = 0.9 * goal.tolerance;  // the verdict is passed on the problem as given, other roundings
  enough = 0.9 * goal.enough;
  iterations = solution.iterations;
  swept = goal.swept;
  contradictory = false;
  least_closing = goal.least_closing();
  last.clear();
  x.resize(3 * static_cast<std::size_t>(contacts.n));
  contacts.import_multipliers(given, solution.p.data(), x.data());
  error = judge(x, u);
}

void ContactWork::give(Solution& solution) const {
  contacts.export_multipliers(*problem, x.data(), solution.p.data());
  solution.iterations = iterations;
  solution.status = done()          ? SolveStatus::converged
                    : contradictory ? SolveStatus::infeasible
                                    : SolveStatus::iteration_limit;
  const int rows = problem->rows;
  if (contradictory) std::copy(proof.data(), proof.data() + rows, solution.proof.need(rows));
}

bool ContactWork::certify_infeasible() {
  if (done() || last.size() != x.size()) return false;
  const Contacts& c = contacts;
  std::vector<double>&velocity = last_velocity, &guess = last_given;
  velocity.resize(last.size());
  guess.resize(static_cast<std::size_t>(problem->rows));
  c.velocities(last.data(), velocity.data());
  double size = 0, moved = 0, pushed = 0, complementarity = 0;
  for (int a = 0; a < c.n; ++a) {
    const double* v = velocity.data() + 3 * a;
    if (!c.associated[a]) complementarity += c.mu[a] * last[3 * a] * std::sqrt(v[1] * v[1] + v[2] * v[2]);
    for (int i = 3 * a; i < 3 * a + 3; ++i) {
      size += last[i] * last[i], pushed += c.q[i] * last[i], complementarity += velocity[i] * last[i];
      moved += (velocity[i] - c.q[i]) * (velocity[i] - c.q[i]);
    }
  }
  // At a solution x . u^ = 0; here it is what q does against impulses without effect.
  if (!(moved <= 1e-4 * size && pushed < 0 && complementarity < 0.5 * pushed)) return false;
  c.export_multipliers(*problem, last.data(), guess.data());
  return contradictory = find_infeasibility(*problem, guess.data(), least_closing, proof.need(problem->rows));
}

double ContactWork::judge(const std::vector<double>& point, std::vector<double>& velocity) const {
  velocity.resize(point.size());
  contacts.velocities(point.data(), velocity.data());
  return contacts.error(criterion, contacts.look(point.data(), velocity.data()));
}

void ContactWork::offer(const std::vector<double>& point, const std::vector<double>& velocity, double error_there) {
  if (!(error_there < error)) return;
  error = error_there;
  x.assign(point.begin(), point.end());
  u.assign(velocity.begin(), velocity.end());
}

void gauss_seidel(ContactWork& work, int count, double relaxation) {
  for (int k = 0; k < count && !work.done(); ++k) {
    sweep(work.contacts, work.x.data(), relaxation);
    ++work.iterations;
    // A look costs half a sweep.
    if (k < 3 || k % 4 == 3 || k + 1 == count) work.error = work.judge(work.x, work.u);
  }
}

}  // namespace ricochet::detail
