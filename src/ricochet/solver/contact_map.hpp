#pragma once
// Coulomb's law of one contact as an equation, with its derivative, in the unit of u. With z = x - rho u,
//     F_N = (x_N - max(0, z_N)) / rho,      F_T = (x_T - P_D(z_T)) / rho,      D the disc of radius mu max(0, z_N)
// (Alart and Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991)): its zeros are those of the law, without the term of
// De Saxce. For the associated law the projection is the one on the cone.

namespace ricochet::detail {

struct ContactMap {
  double F[3];
  double A[9], B[9];  ///< dF = A dx + B du, column major
};

void alart_curnier(double mu, bool associated, double rho, const double* x, const double* u, ContactMap& out);

}  // namespace ricochet::detail
