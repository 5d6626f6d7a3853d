#include "ricochet/io/result/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ricochet/io/result/checkpoint.hpp"
#include "ricochet/io/result/summary.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

// A column as it was recorded, with the worst that was found in it.
struct Column {
  std::vector<double> values;
  std::size_t width = 1;
  double scale = 0;
  double worst = 0;
  Disagreement found;
};

class Verifier {
 public:
  explicit Verifier(const Results& results)
      : results_(results), scenario_(results.scenario()), model_(scenario_.model), layout_(model_), w_(model_) {
    for (const ColumnInfo& c : layout_.columns) {
      Column& column = columns_[c.path];
      column.values = results.numbers(c.path, c.width);
      column.width = c.width;
      for (double x : column.values)
        if (std::isfinite(x)) column.scale = std::max(column.scale, std::abs(x));
    }
    if (find_scheme(scenario_.scheme) != nullptr) {
      const auto scheme = make_scheme(scenario_.scheme, scenario_.options);
      const SchemeInfo& info = scheme->info();
      velocity_level_ = info.exact_velocity && info.one_impulse && info.impact_order > 0;
      holds_closed_ = info.holds_closed || info.exact_position;
      activation_ = scheme->tolerance().activation;
    }
    // Energies are differences of large numbers; each column of velocities may be round-off alone.
    const double energy = std::max(columns_["energy/kinetic"].scale, columns_["energy/potential"].scale);
    for (const std::string& name : energy_names()) columns_["energy/" + name].scale = energy;
    double U = 1e-3;
    for (const ResultLayout::Item& item : layout_.items) U = std::max(U, columns_[item.group + "/U"].scale);
    length_ = std::max(1e-3, columns_["steps/q"].scale);
    for (const ResultLayout::Item& item : layout_.items) {
      columns_[g_path(item)].scale = std::max(columns_[g_path(item)].scale, length_);
      columns_[item.group + "/U"].scale = U;
    }
  }

  Verification run() {
    out_.rows = static_cast<std::int64_t>(results_.rows());
    const auto& steps = columns_["steps/steps"].values;
    out_.every_step = std::all_of(steps.begin() + 1, steps.end(), [](double n) { return n == 1; });
    out_.complementarity_limit = 10 * tolerance_of(scenario_);
    for (std::size_t k = 0; k < kCertificates; ++k) {
      const auto& values = columns_["certificate/" + certificate_names()[k]].values;
      recorded_[k] = *std::max_element(values.begin(), values.end());
      if (!std::all_of(values.begin(), values.end(), [](double x) { return x >= 0; })) not_a_certificate(k);
    }
    out_.recorded = {recorded_[0], recorded_[1], recorded_[2], recorded_[3], recorded_[4]};
    for (const auto& [path, column] : columns_)
      for (std::size_t i = 0; i < column.values.size(); ++i)
        if (!std::isfinite(column.values[i]))
          compare(path, static_cast<std::int64_t>(i / column.width), column.values[i], 0, 1);
    for (std::size_t row = 0; row < results_.rows(); ++row) check_row(row);
    compare_sums();
    for (auto& [path, column] : columns_) {
      if (column.worst > out_.largest) {
        out_.largest = column.worst;
        out_.largest_in = path;
      }
      if (column.worst > kAgreement) out_.disagreements.push_back(column.found);
    }
    return out_;
  }

 private:
  static std::string g_path(const ResultLayout::Item& item) {
    return item.group + (item.bilateral ? "/residual" : "/gap");
  }
  double at(const std::string& path, std::size_t row, std::size_t k = 0) {
    const Column& c = columns_[path];
    return c.values[row * c.width + k];
  }

  void compare(const std::string& path, std::int64_t row, double recorded, double recomputed, double scale) {
    Column& column = columns_[path];
    double error = std::abs(recorded - recomputed) / (scale > 0 ? scale : 1);
    if (!(error <= column.worst)) {
      column.worst = std::isnan(error) ? INFINITY : error;
      column.found = {path, row, recorded, recomputed};
    }
  }
  void compare(const std::string& path, std::size_t row, double recomputed, std::size_t k = 0) {
    compare(path, static_cast<std::int64_t>(row), at(path, row, k), recomputed, columns_[path].scale);
  }

  void not_a_certificate(std::size_t k) {
    const std::string path = "certificate/" + certificate_names()[k];
    for (std::size_t row = 0; row < results_.rows(); ++row)
      if (!(at(path, row) >= 0)) compare(path, static_cast<std::int64_t>(row), at(path, row), std::nan(""), 1);
  }

  State state(std::size_t row) {
    State s;
    s.t = at("steps/t", row);
    const auto copy = [&](const std::string& path, int n, VectorXd& x) {
      const double* from = columns_[path].values.data() + row * static_cast<std::size_t>(n);
      x = Eigen::Map<const VectorXd>(from, n);
    };
    copy("steps/q", model_.nq(), s.q);
    copy("steps/v", model_.nv(), s.v);
    return s;
  }

  void check_row(std::size_t row) {
    const State s = state(row);
    const double h = at("steps/h", row);
    if (row == 0) {
      before_ = s;
      before_energy_ = at("energy/kinetic", 0) + at("energy/potential", 0);
      compare("steps/t", 0, scenario_.initial.t);
      for (Index i = 0; i < s.q.size(); ++i) compare("steps/q", 0, scenario_.initial.q[i], static_cast<std::size_t>(i));
      for (Index i = 0; i < s.v.size(); ++i) compare("steps/v", 0, scenario_.initial.v[i], static_cast<std::size_t>(i));
    } else {
      compare("steps/t", row, before_.t + h);
    }
    model_.candidates({before_.t, before_.q, before_.v}, out_.every_step ? h : 0, w_.candidates);
    evaluate_all(before_, begin_, U_begin_);
    evaluate_all(s, end_, U_end_);
    const Energies e = model_.energies({s.t, s.q, s.v}, w_.model);
    compare("energy/kinetic", row, e.kinetic);
    compare("energy/potential", row, e.potential);
    check_constraints(row, s, h);
    check_energy(row, e.kinetic + e.potential);
    before_ = s;
  }

  void evaluate_all(const State& s, Rows& rows, std::vector<double>& U) {
    rows.pick.resize(w_.candidates.size());
    for (std::size_t i = 0; i < rows.pick.size(); ++i) rows.pick[i] = static_cast<int>(i);
    evaluate(model_, s.t, s.q, w_.candidates, rows, w_.model);
    U.resize(static_cast<std::size_t>(rows.G.rows()));
    rows.G.transpose_times(s.v, U.data());
    for (std::size_t i = 0; i < U.size(); ++i) U[i] += rows.g_t[static_cast<Index>(i)];
  }

  void check_constraints(std::size_t row, const State& s, double h) {
    double penetration = 0, position = 0, velocity = 0;
    double impact = 0, friction = 0;  // work of the recorded impulses at mid-step, as the ledger books it
    for (std::size_t i = 0; i < w_.candidates.size(); ++i) {
      const Candidate& c = w_.candidates[i];
      const ResultLayout::Item& item = layout_.items[static_cast<std::size_t>(model_.index_of(c))];
      const int first = end_.G.blocks()[i].row;
      const double* g = end_.g.data() + first;
      const double* U = U_end_.data() + first;
      for (int k = 0; k < item.g_dim; ++k) compare(g_path(item), row, g[k], static_cast<std::size_t>(k));
      for (int k = 0; k < c.dim; ++k) {
        const auto at_k = static_cast<std::size_t>(k);
        compare(item.group + "/U", row, U[k], at_k);
        if (c.bilateral()) {
          position = std::max(position, std::abs(g[k]));
          velocity = std::max(velocity, std::abs(U[k]));
        }
        if (row == 0 || !out_.every_step) continue;
        const double smooth = c.bilateral() ? at(item.group + "/smooth", row, at_k) : 0;
        compare(item.group + "/reaction", row, at(item.group + "/P", row, at_k) / h + smooth, at_k);
      }
      if (!c.bilateral()) penetration = std::max(penetration, -g[0]);
      if (!c.bilateral() && row > 0 && out_.every_step && velocity_level_)
        for (int k = 0; k < c.dim; ++k) {
          const double P = at(item.group + "/P", row, static_cast<std::size_t>(k));
          const double work = P * 0.5 * (U_begin_[static_cast<std::size_t>(first + k)] + U[k]);
          (k == 0 ? impact : friction) += work;
        }
      if (!c.bilateral() && row > 0 && out_.every_step && velocity_level_) check_contact(row, i, item, s, h);
    }
    out_.certificate.penetration = std::max(out_.certificate.penetration, penetration);
    out_.certificate.joint_position = std::max(out_.certificate.joint_position, position);
    out_.certificate.joint_velocity = std::max(out_.certificate.joint_velocity, velocity);
    if (!out_.every_step) return;
    const auto r = static_cast<std::int64_t>(row);
    if (velocity_level_ && row > 0) {
      const double scale = columns_["energy/kinetic"].scale;
      compare("energy/impact", r, at("energy/impact", row), impact, scale);
      compare("energy/friction", r, at("energy/friction", row), friction, scale);
    }
    compare("certificate/penetration", r, at("certificate/penetration", row), penetration, length_);
    compare("certificate/joint_position", r, at("certificate/joint_position", row), position, length_);
    compare("certificate/joint_velocity", r, at("certificate/joint_velocity", row), velocity, 1);
  }

  // The natural map of io's own, with the size of an impulse from the mass alone: p - P_K(p - rho u^) over rho.
  void check_contact(std::size_t row, std::size_t i, const ResultLayout::Item& item, const State& s, double h) {
    const Candidate& c = w_.candidates[i];
    double P[3] = {}, size = 0;
    for (int k = 0; k < c.dim; ++k) {
      P[k] = at(item.group + "/P", row, static_cast<std::size_t>(k));
      size = std::max(size, std::abs(P[k]));
    }
    const int first = begin_.G.blocks()[i].row;
    const bool closed = begin_.g[first] <= activation_ && end_.g[first] <= activation_;
    if (size == 0 && !closed) return;
    LocalState local{h, begin_.g[first], {}, c.dim};
    for (int k = 0; k < c.dim; ++k)
      local.U_before[static_cast<std::size_t>(k)] = U_begin_[static_cast<std::size_t>(first + k)];
    const LocalLaw law = c.law->local(local);
    // Rows of the condition: at the end of the step, or at its beginning for schemes that take them there.
    const double shift = law.restitution * local.U_before[0];
    const double rho = impulse_scale(row, i, s);
    double error = residual(law, c.dim, rho, P, U_end_.data() + first, shift);
    if (error > out_.complementarity_limit) {
      double U[3] = {};
      for (int k = 0; k < c.dim; ++k) U[k] = begin_.G.row_times(begin_.G.blocks()[i], k, s.v) + begin_.g_t[first + k];
      error = std::min(error, residual(law, c.dim, rho, P, U, shift));
    }
    if (size == 0 && error * h <= activation_) return;  // at rest, as far as gaps can tell
    out_.certificate.complementarity = std::max(out_.certificate.complementarity, error);
    if (size == 0 && !holds_closed_) return;  // the scheme says that its forecast may leave it out
    // What was recorded excuses rounding of large velocities, no more.
    const double rounding = std::min(10 * recorded_[0], 1e-6 * columns_[item.group + "/U"].scale);
    const double limit = std::max(out_.complementarity_limit, rounding);
    if (!(error <= limit)) compare(item.group + "/P", static_cast<std::int64_t>(row), P[0], std::nan(""), 1);
  }

  static double residual(const LocalLaw& law, int dim, double rho, const double* P, const double* U, double shift) {
    double u[3] = {}, z[3] = {};
    std::copy(U, U + dim, u);
    u[0] += shift;
    if (law.cone == Cone::coulomb) u[0] += law.mu * elementary::hypot(u[1], dim > 2 ? u[2] : 0.0);
    for (int k = 0; k < dim; ++k) z[k] = P[k] - rho * u[k];
    project(law.cone, dim, law.mu, z);
    double error = 0;
    for (int k = 0; k < dim; ++k) error = std::max(error, std::abs(P[k] - z[k]) / rho);
    return error;
  }

  // 1 / (mean diagonal entry of G^T M^-1 G); 1 where the mass has no inverse.
  double impulse_scale(std::size_t row, std::size_t i, const State& s) {
    if (mass_row_ != row || !mass_) {
      mass_row_ = row;
      if (!mass_ || !model_.constancy().mass) {
        mass_ = std::make_unique<Operator>(model_.layout());
        model_.mass({s.t, s.q, s.v}, 1, *mass_, w_.model);
        invertible_ = mass_->factorise();
      }
    }
    if (!invertible_) return 1;
    const Jacobian::Block& block = end_.G.blocks()[i];
    VectorXd x(model_.nv());
    double trace = 0;
    for (int k = 0; k < block.dim; ++k) {
      double unit[3] = {};
      unit[k] = 1;
      x.setZero();
      end_.G.add_block_times(block, 1, unit, x);
      mass_->solve(x);
      trace += end_.G.row_times(block, k, x);
    }
    return trace > 0 ? block.dim / trace : 1;
  }

  void check_energy(std::size_t row, double energy) {
    const auto r = static_cast<std::int64_t>(row);
    double sum = 0;
    const auto& names = energy_names();
    for (std::size_t k = kEnergyStates; k < names.size(); ++k)
      if (names[k] != "defect") sum += at("energy/" + names[k], row);
    out_.energy_sum += sum;
    if (row > 0) {
      const double change = energy - before_energy_, unexplained = change - sum;
      out_.certificate.energy_defect = std::max(out_.certificate.energy_defect, std::abs(unexplained));
      compare("energy/defect", r, at("energy/defect", row), unexplained, columns_["energy/kinetic"].scale);
      if (out_.every_step)
        compare("certificate/energy_defect", r, at("certificate/energy_defect", row),
                std::abs(at("energy/defect", row)), columns_["energy/kinetic"].scale);
      out_.energy_change += change;
    }
    before_energy_ = energy;
  }

  // Against the summary, which an unfinished run does not have.
  void compare_sums() {
    if (results_.status() == "running" || !results_.root().has("summary")) return;
    const h5::Group summary = results_.root().group("summary");
    const double scale = columns_["energy/kinetic"].scale;
    const auto check = [&](const std::string& key, double recomputed, double size) {
      compare("summary/" + key, -1, summary.number(key), recomputed, size);
    };
    for (std::size_t k = 0; k < kEnergies; ++k) {
      const std::string& key = energy_names()[k];
      const auto& values = columns_["energy/" + key].values;
      double sum = 0;
      for (std::size_t row = 1; row < values.size(); ++row) sum += values[row];
      check(key, k < kEnergyStates ? values.back() : sum,
            scale * std::max(1.0, static_cast<double>(values.size()) * 1e-3));
    }
    check("energy_initial", at("energy/kinetic", 0) + at("energy/potential", 0), scale);
    // The largest error of the run is that of its rows, the initial state left out.
    for (std::size_t k = 0; k < kCertificates; ++k) {
      const auto& values = columns_["certificate/" + certificate_names()[k]].values;
      double largest = 0;
      for (std::size_t row = 1; row < values.size(); ++row) largest = std::max(largest, values[row]);
      check(certificate_names()[k], largest, std::max(largest, 1e-300));
    }
    const auto count = [&](const std::string& path, bool maximum) {
      double n = 0;
      const auto& values = columns_[path].values;
      for (std::size_t row = 1; row < values.size(); ++row) n = maximum ? std::max(n, values[row]) : n + values[row];
      return n;
    };
    check("steps", count("steps/steps", false), 1);
    check("impacts", count("iterations/impacts", false), 1);
    check("newton_sum", count("iterations/newton", false), 1);
    check("solver_sum", count("iterations/solver", false), 1);
    check("activation_sum", count("iterations/activations", false), 1);
    check("projection_sum", count("iterations/projections", false), 1);
    check("contacts_max", count("iterations/contacts", true), 1);
  }

  const Results& results_;
  Scenario scenario_;
  const Model& model_;
  ResultLayout layout_;
  Workspace w_;
  std::map<std::string, Column> columns_;
  Verification out_;
  double recorded_[kCertificates] = {};
  double length_ = 1, before_energy_ = 0;
  bool velocity_level_ = true;  ///< the scheme keeps the contact laws in velocity: impulses can be checked against them
  bool holds_closed_ = true;    ///< of every contact that is closed at both ends of a step
  double activation_ = 1e-9;    ///< a gap below this counts as closed
  State before_;
  Rows begin_, end_;
  std::vector<double> U_begin_, U_end_;
  std::unique_ptr<Operator> mass_;
  std::size_t mass_row_ = 0;
  bool invertible_ = false;
};

}  // namespace

Verification verify(const Results& results) { return Verifier(results).run(); }

}  // namespace ricochet
