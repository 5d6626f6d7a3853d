#include "soak/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/dense.hpp"

namespace ricochet::soak {

double sine(double x) {
  constexpr double kTurn = 6.283185307179586;
  while (x > kTurn / 2) x -= kTurn;
  while (x < -kTurn / 2) x += kTurn;
  double term = x, sum = x;
  for (int k = 1; k < 20; ++k) {
    term *= -x * x / ((2 * k) * (2 * k + 1));
    sum += term;
  }
  return sum;
}

std::string text(double x) { return fmt::format("{}", x); }
std::string coordinate(int i) { return fmt::format("q{}", i + 1); }
std::string joint_name(int k) { return fmt::format("j{}", k); }
std::string contact_name(int k) { return fmt::format("c{}", k); }

// ---- formulas -------------------------------------------------------------------------------------------------------
namespace {

template <class Sine>
double sum_of(const std::vector<Term>& terms, double t, const Vector& q, Sine&& sin) {
  double sum = 0;
  for (const Term& x : terms) switch (x.kind) {
      case Term::Kind::constant: sum += x.c; break;
      case Term::Kind::linear: sum += x.c * q[x.i]; break;
      case Term::Kind::sine: sum += x.c * sin(x.w * q[x.i] + x.p); break;
      case Term::Kind::product: sum += x.c * q[x.i] * q[x.j]; break;
      case Term::Kind::clock: sum += x.c * t; break;
      case Term::Kind::wave: sum += x.c * sin(x.w * t + x.p); break;
    }
  return sum;
}

}  // namespace

double Formula::value(double t, const Vector& q) const {
  return sum_of(terms, t, q, [](double x) { return std::sin(x); });
}
double Formula::start(const Vector& q) const { return sum_of(terms, 0, q, sine); }

Vector Formula::gradient(const Vector& q) const {
  Vector out = Vector::Zero(q.size());
  for (const Term& x : terms) switch (x.kind) {
      case Term::Kind::linear: out[x.i] += x.c; break;
      case Term::Kind::sine: out[x.i] += x.c * x.w * std::cos(x.w * q[x.i] + x.p); break;
      case Term::Kind::product:
        out[x.i] += x.c * q[x.j];
        out[x.j] += x.c * q[x.i];
        break;
      default: break;
    }
  return out;
}

double Formula::rate(double t) const {
  double sum = 0;
  for (const Term& x : terms) {
    if (x.kind == Term::Kind::clock) sum += x.c;
    if (x.kind == Term::Kind::wave) sum += x.c * x.w * std::cos(x.w * t + x.p);
  }
  return sum;
}

bool Formula::timed() const {
  return std::any_of(terms.begin(), terms.end(),
                     [](const Term& x) { return x.kind == Term::Kind::clock || x.kind == Term::Kind::wave; });
}

bool Formula::affine() const {
  return std::none_of(terms.begin(), terms.end(),
                      [](const Term& x) { return x.kind == Term::Kind::sine || x.kind == Term::Kind::product; });
}

std::string Formula::text() const {
  std::string out;
  for (const Term& x : terms) {
    if (!out.empty()) out += " + ";
    const std::string c = "(" + soak::text(x.c) + ")";
    const auto phase = [&](const std::string& of) {
      return fmt::format("sin({}*{} + ({}))", soak::text(x.w), of, soak::text(x.p));
    };
    switch (x.kind) {
      case Term::Kind::constant: out += c; break;
      case Term::Kind::linear: out += c + "*" + coordinate(x.i); break;
      case Term::Kind::sine: out += c + "*" + phase(coordinate(x.i)); break;
      case Term::Kind::product: out += c + "*" + coordinate(x.i) + "*" + coordinate(x.j); break;
      case Term::Kind::clock: out += c + "*t"; break;
      case Term::Kind::wave: out += c + "*" + phase("t"); break;
    }
  }
  return out.empty() ? "0" : out;
}

Formula& Formula::constant(double c) {
  terms.push_back({Term::Kind::constant, c});
  return *this;
}
Formula& Formula::linear(double c, int i) {
  terms.push_back({Term::Kind::linear, c, i});
  return *this;
}
Formula& Formula::sin(double c, int i, double w, double p) {
  terms.push_back({Term::Kind::sine, c, i, 0, w, p});
  return *this;
}
Formula& Formula::cos(double c, int i, double w) { return sin(c, i, w, 1.5707963267948966); }
Formula& Formula::product(double c, int i, int j) {
  terms.push_back({Term::Kind::product, c, i, j});
  return *this;
}
Formula& Formula::clock(double c) {
  terms.push_back({Term::Kind::clock, c});
  return *this;
}
Formula& Formula::wave(double c, double w, double p) {
  terms.push_back({Term::Kind::wave, c, 0, 0, w, p});
  return *this;
}
Formula& Formula::add(const Formula& other, double factor) {
  for (Term x : other.terms) {
    x.c *= factor;
    terms.push_back(x);
  }
  return *this;
}

// ---- systems --------------------------------------------------------------------------------------------------------
System::System(int size)
    : n(size),
      M(Matrix::Zero(size, size)),
      C(Matrix::Zero(size, size)),
      K(Matrix::Zero(size, size)),
      coordinate_unit(static_cast<std::size_t>(size), 1.0),
      q(Vector::Zero(size)),
      v(Vector::Zero(size)) {}

Matrix System::mass(const Vector& at) const {
  Matrix out = M;
  for (const Coupling& x : couplings) {
    const double m = x.c * std::cos(at[x.i] - at[x.j]);
    out(x.i, x.j) += m;
    out(x.j, x.i) += m;
  }
  return out;
}

double System::kinetic(const Vector& at, const Vector& velocity) const {
  return 0.5 * velocity.dot(mass(at) * velocity);
}

double System::potential_energy(double t, const Vector& at) const {
  return 0.5 * at.dot(K * at) + potential.value(t, at);
}

Vector System::load(double t) const {
  Vector out = Vector::Zero(n);
  for (std::size_t i = 0; i < loads.size(); ++i) out[static_cast<Eigen::Index>(i)] = loads[i].value(t, q);
  return out;
}

bool System::linear() const {
  if (!couplings.empty() || !potential.affine()) return false;
  for (const Joint& joint : joints)
    for (const Formula& row : joint.rows)
      if (!row.affine()) return false;
  for (const Contact& contact : contacts) {
    if (!contact.gap.affine()) return false;
    for (const Formula& slip : contact.slips)
      if (!slip.affine()) return false;
  }
  return true;
}

bool System::conservative() const {
  for (const Formula& load : loads)
    if (!load.terms.empty()) return false;
  for (const Joint& joint : joints)
    for (const Formula& row : joint.rows)
      if (row.timed()) return false;
  for (const Contact& contact : contacts) {
    if (contact.gap.timed()) return false;
    for (const Formula& slip : contact.slips)
      if (slip.timed()) return false;
  }
  return true;
}

bool System::has_friction() const {
  return std::any_of(contacts.begin(), contacts.end(), [](const Contact& c) { return c.friction > 0; });
}

double System::largest_restitution() const {
  double e = 0;
  for (const Contact& contact : contacts) e = std::max(e, contact.restitution);
  return e;
}

double System::stiffness() const {
  const Matrix A = test::solve_dense(mass(q), K);
  return step * std::sqrt(std::max(0.0, A.trace()));
}

bool System::gentle() const { return stiffness() < 1.5 && step * test::solve_dense(mass(q), C).trace() < 1; }

namespace {

void rescale(Formula& f, double size, double length, double time, const std::vector<double>& unit) {
  const auto coordinate_size = [&](int i) { return unit[static_cast<std::size_t>(i)] > 0 ? length : 1.0; };
  for (Term& x : f.terms) {
    x.c *= size;
    switch (x.kind) {
      case Term::Kind::linear: x.c /= coordinate_size(x.i); break;
      case Term::Kind::sine: x.w /= coordinate_size(x.i); break;
      case Term::Kind::product: x.c /= coordinate_size(x.i) * coordinate_size(x.j); break;
      case Term::Kind::clock: x.c /= time; break;
      case Term::Kind::wave: x.w /= time; break;
      case Term::Kind::constant: break;
    }
  }
}

}  // namespace

void System::rescale(double length, double mass, double time) {
  const double energy = mass * length * length / (time * time);
  const auto power = [&](double unit) { return unit > 1 ? length * length : unit > 0 ? length : 1.0; };
  Vector s(n);
  for (int i = 0; i < n; ++i) s[i] = power(coordinate_unit[static_cast<std::size_t>(i)]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double size = s[i] * s[j];
      M(i, j) *= mass * length * length / size;
      C(i, j) *= energy * time / size;
      K(i, j) *= energy / size;
    }
  for (Coupling& x : couplings) x.c *= mass * length * length / (s[x.i] * s[x.j]);
  soak::rescale(potential, energy, length, time, coordinate_unit);
  for (std::size_t i = 0; i < loads.size(); ++i)
    soak::rescale(loads[i], energy / s[static_cast<Eigen::Index>(i)], length, time, coordinate_unit);
  for (Joint& joint : joints)
    for (Formula& row : joint.rows) soak::rescale(row, power(row.unit), length, time, coordinate_unit);
  for (Contact& contact : contacts) {
    soak::rescale(contact.gap, power(contact.gap.unit), length, time, coordinate_unit);
    for (Formula& slip : contact.slips) soak::rescale(slip, power(slip.unit), length, time, coordinate_unit);
  }
  for (int i = 0; i < n; ++i) {
    q[i] *= s[i];
    v[i] *= s[i] / time;
  }
  for (Wall& wall : walls) {
    wall.z *= length;
    wall.velocity *= length / time;
    wall.a *= length / (time * time);
    wall.w2 /= time * time;
  }
  step *= time;
}

// ---- the scenario ---------------------------------------------------------------------------------------------------
namespace {

std::string matrix(const char* key, const Matrix& A) {
  std::string out = fmt::format("    {}:\n", key);
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    out += "    - [";
    for (Eigen::Index j = 0; j < A.cols(); ++j) out += (j > 0 ? ", " : "") + text(A(i, j));
    out += "]\n";
  }
  return out;
}

/// x^T A x / 2 with the names of the coordinates, or of their velocities.
std::string quadratic(const Matrix& A, const char* prime) {
  std::string out;
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j <= i; ++j) {
      const double c = i == j ? A(i, i) / 2 : A(i, j);
      if (c == 0) continue;
      if (!out.empty()) out += " + ";
      out += fmt::format("({})*{}{}*{}{}", text(c), coordinate(i), prime, coordinate(j), prime);
    }
  return out;
}

std::string constraints(const System& s) {
  std::string out;
  if (!s.joints.empty()) out += "    joints:\n";
  for (std::size_t k = 0; k < s.joints.size(); ++k) {
    out += fmt::format("      {}: [", joint_name(static_cast<int>(k)));
    for (std::size_t r = 0; r < s.joints[k].rows.size(); ++r)
      out += fmt::format("{}\"{}\"", r > 0 ? ", " : "", s.joints[k].rows[r].text());
    out += "]\n";
  }
  if (!s.contacts.empty()) out += "    contacts:\n";
  for (std::size_t k = 0; k < s.contacts.size(); ++k) {
    const Contact& c = s.contacts[k];
    out += fmt::format("      {}: {{gap: \"{}\", restitution: {}", contact_name(static_cast<int>(k)), c.gap.text(),
                       text(c.restitution));
    if (!c.slips.empty()) {
      out += ", slip: [";
      for (std::size_t r = 0; r < c.slips.size(); ++r)
        out += fmt::format("{}\"{}\"", r > 0 ? ", " : "", c.slips[r].text());
      out += fmt::format("], friction: {}", text(c.friction));
    }
    out += "}\n";
  }
  return out;
}

std::string matrices(const System& s) {
  std::string out = "  linear:\n" + matrix("M", s.M);
  if (!s.C.isZero(0)) out += matrix("C", s.C);
  if (!s.K.isZero(0)) out += matrix("K", s.K);
  std::vector<Formula> loads = s.loads;
  loads.resize(static_cast<std::size_t>(s.n));
  for (const Term& x : s.potential.terms)
    if (x.kind == Term::Kind::linear) loads[static_cast<std::size_t>(x.i)].constant(-x.c);
  std::string load;
  for (int i = 0; i < s.n; ++i)
    if (const Formula& f = loads[static_cast<std::size_t>(i)]; !f.terms.empty())
      load += fmt::format("      {}: \"{}\"\n", coordinate(i), f.text());
  if (!load.empty()) out += "    load:\n" + load;
  return out;
}

std::string formulas(const System& s) {
  std::string names, kinetic = quadratic(s.M, "'"), potential = quadratic(s.K, ""), forces;
  for (int i = 0; i < s.n; ++i) names += (i > 0 ? ", " : "") + coordinate(i);
  for (const Coupling& x : s.couplings)
    kinetic += fmt::format(" + ({})*cos({} - {})*{}'*{}'", text(x.c), coordinate(x.i), coordinate(x.j), coordinate(x.i),
                           coordinate(x.j));
  if (!s.potential.terms.empty()) potential += (potential.empty() ? "" : " + ") + s.potential.text();
  for (int i = 0; i < s.n; ++i) {
    std::string force;
    for (int j = 0; j < s.n; ++j)
      if (s.C(i, j) != 0)
        force += fmt::format("{}({})*{}'", force.empty() ? "" : " + ", text(-s.C(i, j)), coordinate(j));
    if (!s.loads.empty() && !s.loads[static_cast<std::size_t>(i)].terms.empty())
      force += (force.empty() ? "" : " + ") + s.loads[static_cast<std::size_t>(i)].text();
    if (!force.empty()) forces += fmt::format("      {}: \"{}\"\n", coordinate(i), force);
  }
  std::string out = fmt::format("  formulas:\n    coordinates: [{}]\n    kinetic: \"{}\"\n", names, kinetic);
  if (!potential.empty()) out += fmt::format("    potential: \"{}\"\n", potential);
  if (!forces.empty()) out += "    forces:\n" + forces;
  return out;
}

std::string state(const char* key, const Vector& x) {
  std::string out;
  for (int i = 0; i < x.size(); ++i)
    if (x[i] != 0) out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", coordinate(i), text(x[i]));
  return fmt::format("  {}: {{{}}}\n", key, out);
}

}  // namespace

std::string System::yaml(const std::string& scheme) const {
  std::string out = fmt::format("name: {}\nsystem:\n", kind);
  out += as_matrices ? matrices(*this) : formulas(*this);
  out += constraints(*this);
  out += "initial:\n" + state("position", q) + state("velocity", v);
  out += fmt::format("simulation: {{{}step: {}, until: {}}}\n", scheme.empty() ? "" : "scheme: " + scheme + ", ",
                     text(step), text(step * steps));
  return out;
}

}  // namespace ricochet::soak
