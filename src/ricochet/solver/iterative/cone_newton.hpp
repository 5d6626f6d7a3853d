#pragma once
// Coulomb's law as a smooth system inside the cones, and Newton's step on it. Contact by contact, with
// L = diag(mu, 1, 1) and the Jordan algebra of the Lorentz cone (e = (1, 0, 0)),
//     x^ = L x,      z = L^-1 u + S e,      u = W x + q,      x^ o z = tau e,      tau -> 0
//     S = sqrt((1 - kappa) |z_T|^2 + kappa z_0^2),      0 <= kappa < 1
// kappa = 0 is the term of De Saxce. Every kappa says the same: z_0 - S vanishes where z_0 = |z_T| and grows with z_0,
// so z is in the cone exactly if u_N >= 0, and on its boundary exactly if u_N = 0. But with kappa > 0 the system is
// smooth wherever z is inside, also for sticking contacts, where |u_T| has its kink. For associated contacts S = 0.
//
// x and z are independent; r = L^-1 u + S e - z is what z lacks. With the scaling of Nesterov and Todd, H x^ = z, the
// step towards H dx^ + dz = t is
//     (W + G^-1 H L) dx = G^-1 (t - c),       c = ((r_0 + S_T . r_T) / (1 - S_0), r_T),       S_0, S_T derivatives of S
//     G^-1 b = (mu ((1 - S_0) b_0 - S_T . b_T), b_T)
// sparse, W plus something positive; unsymmetric because the law is not associated, and so not always of positive
// determinant.
#include "ricochet/solver/iterative/contacts.hpp"
#include "ricochet/solver/iterative/lorentz.hpp"

namespace ricochet::detail {

class ConeNewton {
 public:
  std::vector<double> x, z, u;  ///< u: of the last `judge`
  std::vector<double> hat;      ///< x^ where it was linearised
  std::vector<lorentz::Scaling> scaling;

  /// From the middle of the cones, at so many times the size of q.
  void start(ContactWork& work, double times = 1);
  int contacts() const { return contacts_->n; }
  bool ray(int a) const { return contacts_->mu[a] == 0; }  ///< frictionless: the cone is a half-line

  /// u of x; offers x to the work. How far off it is, whatever the criterion; infinite or NaN if x is.
  double judge();
  /// r of contact a.
  void residual(int a, double* r) const;
  /// Scalings at (x, z) and the factors of the matrix; `freeze` leaves out the derivatives of S,
  /// `proximal` is added to W.
  void linearise(bool freeze, double proximal = 0);
  /// Sign of the matrix' determinant.
  int orientation() const { return work_->lu.sign(); }
  /// x^^-1 of contact a.
  void inverse(int a, double* out) const;
  /// The step for targets t in dz and residuals r.
  void solve(const std::vector<double>& r, std::vector<double>& dx, std::vector<double>& dz);

  void to_hat(int a, const double* v, double* out) const {
    out[0] = ray(a) ? v[0] : contacts_->mu[a] * v[0], out[1] = v[1], out[2] = v[2];
  }
  /// How far both stay inside.
  double reach(const std::vector<double>& dx, const std::vector<double>& dz) const;
  void move(double length, const std::vector<double>& dx, const std::vector<double>& dz) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += length * dx[i], z[i] += length * dz[i];
  }

 private:
  double shift(int a) const;
  void undo_shift(int a, const double* b, double* out) const;

  ContactWork* work_ = nullptr;
  const Contacts* contacts_ = nullptr;
  std::vector<double> J_, slope_;  ///< slope: S_0, S_T of each contact
};

}  // namespace ricochet::detail
