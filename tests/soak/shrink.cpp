#include "soak/shrink.hpp"

#include <algorithm>

namespace ricochet::soak {
namespace {

void drop(Formula& f, int i) {
  const auto names = [&](const Term& x) {
    const bool one = x.kind == Term::Kind::linear || x.kind == Term::Kind::sine;
    return (one && x.i == i) || (x.kind == Term::Kind::product && (x.i == i || x.j == i));
  };
  f.terms.erase(std::remove_if(f.terms.begin(), f.terms.end(), names), f.terms.end());
  for (Term& x : f.terms) {
    if (x.i > i) --x.i;
    if (x.j > i) --x.j;
  }
}

bool has_coordinate(const Formula& f) {
  return std::any_of(f.terms.begin(), f.terms.end(), [](const Term& x) {
    return x.kind == Term::Kind::linear || x.kind == Term::Kind::sine || x.kind == Term::Kind::product;
  });
}

Matrix without(const Matrix& A, int i) {
  Matrix out(A.rows() - 1, A.cols() - 1);
  for (int r = 0; r < out.rows(); ++r)
    for (int c = 0; c < out.cols(); ++c) out(r, c) = A(r + (r >= i), c + (c >= i));
  return out;
}

Vector without(const Vector& x, int i) {
  Vector out(x.size() - 1);
  for (int r = 0; r < out.size(); ++r) out[r] = x[r + (r >= i)];
  return out;
}

/// The coordinate stays where it is: what it gives to a row becomes part of the constant.
System freeze(const System& s, int i) {
  System out = s;
  out.n = s.n - 1;
  out.M = without(s.M, i);
  out.C = without(s.C, i);
  out.K = without(s.K, i);
  out.q = without(s.q, i);
  out.v = without(s.v, i);
  out.coordinate_unit.erase(out.coordinate_unit.begin() + i);
  if (!out.loads.empty()) out.loads.erase(out.loads.begin() + i);
  std::erase_if(out.couplings, [i](const Coupling& x) { return x.i == i || x.j == i; });
  for (Coupling& x : out.couplings) {
    if (x.i > i) --x.i;
    if (x.j > i) --x.j;
  }
  const auto reduce = [&](Formula& f) {
    const double before = f.value(0, s.q);
    drop(f, i);
    if (const double lost = before - f.value(0, out.q); lost != 0) f.constant(lost);
  };
  drop(out.potential, i);
  for (Joint& joint : out.joints) {
    for (Formula& row : joint.rows) reduce(row);
    std::erase_if(joint.rows, [](const Formula& row) { return !has_coordinate(row); });
  }
  std::erase_if(out.joints, [](const Joint& joint) { return joint.rows.empty(); });
  for (Contact& contact : out.contacts) {
    reduce(contact.gap);
    for (Formula& slip : contact.slips) reduce(slip);
    std::erase_if(contact.slips, [](const Formula& slip) { return !has_coordinate(slip); });
    if (contact.slips.empty()) contact.friction = 0;
  }
  std::erase_if(out.contacts, [](const Contact& contact) { return !has_coordinate(contact.gap); });
  out.walls.clear();
  return out;
}

}  // namespace

System shrink(System s, const std::function<bool(const System&)>& interesting) {
  bool smaller = true;
  const auto attempt = [&](const std::function<void(System&)>& change) {
    System trial = s;
    change(trial);
    if (!interesting(trial)) return false;
    s = std::move(trial);
    smaller = true;
    return true;
  };
  while (smaller) {
    smaller = false;
    for (int i = s.n - 1; i >= 0 && s.n > 1; --i) attempt([i](System& x) { x = freeze(x, i); });
    for (int k = static_cast<int>(s.contacts.size()) - 1; k >= 0; --k)
      attempt([k](System& x) {
        x.contacts.erase(x.contacts.begin() + k);
        x.walls.clear();
      });
    for (int k = static_cast<int>(s.joints.size()) - 1; k >= 0; --k)
      attempt([k](System& x) { x.joints.erase(x.joints.begin() + k); });
    for (std::size_t k = 0; k < s.contacts.size(); ++k) {
      if (!s.contacts[k].slips.empty())
        attempt([k](System& x) {
          x.contacts[k].slips.clear();
          x.contacts[k].friction = 0;
        });
      if (s.contacts[k].restitution != 0) attempt([k](System& x) { x.contacts[k].restitution = 0; });
    }
    if (!s.loads.empty()) attempt([](System& x) { x.loads.clear(); });
    if (!s.C.isZero(0)) attempt([](System& x) { x.C.setZero(); });
    if (!s.K.isZero(0)) attempt([](System& x) { x.K.setZero(); });
    if (!s.potential.terms.empty()) attempt([](System& x) { x.potential.terms.clear(); });
    if (!s.v.isZero(0)) attempt([](System& x) { x.v.setZero(); });
    if (!Matrix(s.M).isDiagonal(0)) attempt([](System& x) { x.M = Matrix(x.M.diagonal().asDiagonal()); });
    if (s.steps > 1) attempt([](System& x) { x.steps = (x.steps + 1) / 2; });
    if (s.steps > 1) attempt([](System& x) { --x.steps; });
  }
  return s;
}

}  // namespace ricochet::soak
