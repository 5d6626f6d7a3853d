#pragma once
// The law of one contact as an equation F(x, u) = 0, with its derivative, in the unit of u. rho weighs impulses against
// velocities; the zeros do not depend on it. Three of them are classical:
//
//   Alart and Curnier   F_N = (x_N - max(0, z_N)) / rho,    F_T = (x_T - P_D(z_T)) / rho,    z = x - rho u,
//                       D the disc of radius mu max(0, z_N): Coulomb's law without the term of De Saxce.
//                       Comput. Methods Appl. Mech. Eng. 92 (1991).
//   natural map         F = (x - P_K(x - rho u^)) / rho,    u^ = u + mu |u_T| n
//   Fischer-Burmeister  F = a + z - (a o a + z o z)^(1/2) in the Jordan algebra of the Lorentz cone, with
//                       a = L x / rho, z = L^-1 u^, L = diag(1, 1/mu, 1/mu).
//                       Fukushima, Luo and Tseng, SIAM J. Optim. 12 (2002).
//
// For the associated law u^ = u, and the first is the second. Where an equation has no derivative an element of the
// generalised one is given.

namespace ricochet::detail {

struct ContactMap {
  double F[3];
  double A[9], B[9];  ///< dF = A dx + B du, column major
};

using ContactEquation = void(double mu, bool associated, double rho, const double* x, const double* u, ContactMap& out);

ContactEquation alart_curnier, natural_equation, fischer_burmeister;

}  // namespace ricochet::detail
