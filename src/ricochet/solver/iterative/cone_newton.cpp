#include "ricochet/solver/iterative/cone_newton.hpp"

#include <cmath>

namespace ricochet::detail {
namespace {

constexpr double kKappa = 0.5;

}  // namespace

void ConeNewton::start(ContactWork& work, double times) {
  work_ = &work, contacts_ = &work.contacts;
  work.contacts.form();
  const std::size_t n = work.x.size(), count = static_cast<std::size_t>(contacts_->n);
  x.assign(n, 0.0), z.assign(n, 0.0), hat.resize(n), u.resize(n);
  scaling.resize(count), slope_.resize(n);
  J_ = contacts_->W;
  const double q = largest(contacts_->q.data(), static_cast<int>(n)), size = times * (q > 0 ? q : 1);
  for (int a = 0; a < contacts_->n; ++a) x[3 * a] = ray(a) ? size : size / contacts_->mu[a], z[3 * a] = size;
  for (int a = 0; a < contacts_->n; ++a)  // nothing tangential where there is no friction
    for (int k = contacts_->pointers[a]; ray(a) && k < contacts_->pointers[a + 1]; ++k)
      for (int j = 0; j < 9; j += 3)
        J_[9 * static_cast<std::size_t>(k) + j + 1] = J_[9 * static_cast<std::size_t>(k) + j + 2] = 0;
  work.lu.analyse(contacts_->n, contacts_->pointers, contacts_->columns);
}

double ConeNewton::judge() {
  contacts_->velocities(x.data(), u.data());
  const Contacts::Look look = contacts_->look(x.data(), u.data());
  work_->offer(x, u, contacts_->error(work_->criterion, look));
  return look.distance;
}

double ConeNewton::shift(int a) const {
  if (contacts_->associated[a]) return 0;
  const double* v = z.data() + 3 * a;
  return std::sqrt((1 - kKappa) * (v[1] * v[1] + v[2] * v[2]) + kKappa * v[0] * v[0]);
}

void ConeNewton::residual(int a, double* r) const {
  const double *v = u.data() + 3 * a, *w = z.data() + 3 * a;
  if (ray(a)) {
    r[0] = v[0] - w[0], r[1] = r[2] = 0;
    return;
  }
  r[0] = v[0] / contacts_->mu[a] + shift(a) - w[0], r[1] = v[1] - w[1], r[2] = v[2] - w[2];
}

void ConeNewton::undo_shift(int a, const double* b, double* out) const {
  const double mu = ray(a) ? 1 : contacts_->mu[a], *S = slope_.data() + 3 * a;
  out[0] = mu * ((1 - S[0]) * b[0] - S[1] * b[1] - S[2] * b[2]), out[1] = b[1], out[2] = b[2];
}

void ConeNewton::linearise(bool freeze, double proximal) {
  contacts_->each([&](int a) {
    double *J = J_.data() + 9 * static_cast<std::size_t>(contacts_->diagonal[a]), *S = slope_.data() + 3 * a;
    const double *W = contacts_->W.data() + 9 * static_cast<std::size_t>(contacts_->diagonal[a]), *v = z.data() + 3 * a;
    std::copy(W, W + 9, J);
    for (int i = 0; i < 9; i += 4) J[i] += proximal;
    to_hat(a, x.data() + 3 * a, hat.data() + 3 * a);
    S[0] = S[1] = S[2] = 0;
    if (ray(a)) {
      J[0] += v[0] / x[3 * a], J[4] = J[8] = 1;
      J[1] = J[2] = J[5] = J[7] = 0;
      return;
    }
    scaling[a] = lorentz::Scaling(hat.data() + 3 * a, v);
    const double size = freeze ? 0 : shift(a);
    if (size > 0) S[0] = kKappa * v[0] / size, S[1] = (1 - kKappa) * v[1] / size, S[2] = (1 - kKappa) * v[2] / size;
    for (int j = 0; j < 3; ++j) {
      const double unit[3] = {j == 0 ? contacts_->mu[a] : 0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0};
      double column[3], out[3];
      scaling[a].hessian(unit, column);
      undo_shift(a, column, out);
      for (int i = 0; i < 3; ++i) J[i + 3 * j] += out[i];
    }
  });
  work_->lu.factorise(J_.data());
}

void ConeNewton::inverse(int a, double* out) const {
  const double* v = hat.data() + 3 * a;
  if (ray(a)) {
    out[0] = 1 / v[0], out[1] = out[2] = 0;
    return;
  }
  const double t = 1 / lorentz::determinant(v);
  out[0] = t * v[0], out[1] = -t * v[1], out[2] = -t * v[2];
}

void ConeNewton::solve(const std::vector<double>& r, std::vector<double>& dx, std::vector<double>& dz) {
  contacts_->each([&](int a) {
    const double *S = slope_.data() + 3 * a, *ra = r.data() + 3 * a, *t = dz.data() + 3 * a;
    const double b[3] = {t[0] - (ra[0] + S[1] * ra[1] + S[2] * ra[2]) / (1 - S[0]), t[1] - ra[1], t[2] - ra[2]};
    undo_shift(a, b, dx.data() + 3 * a);
  });
  work_->lu.solve(dx.data());
  contacts_->each([&](int a) {
    if (ray(a)) {
      dz[3 * a] -= z[3 * a] / x[3 * a] * dx[3 * a];
      dx[3 * a + 1] = dx[3 * a + 2] = 0;
      return;
    }
    double v[3], image[3];
    to_hat(a, dx.data() + 3 * a, v);
    scaling[a].hessian(v, image);
    for (int i = 0; i < 3; ++i) dz[3 * a + i] -= image[i];
  });
}

double ConeNewton::reach(const std::vector<double>& dx, const std::vector<double>& dz) const {
  double t = std::numeric_limits<double>::infinity();
  for (int a = 0; a < contacts_->n; ++a) {
    double at[3], by[3];
    to_hat(a, x.data() + 3 * a, at), to_hat(a, dx.data() + 3 * a, by);
    t = std::min(t, std::min(lorentz::reach(at, by), lorentz::reach(z.data() + 3 * a, dz.data() + 3 * a)));
  }
  return t;
}

}  // namespace ricochet::detail
