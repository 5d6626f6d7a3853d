#pragma once
// The algorithmic energy of the nonsmooth Newmark family (acary-2014 (66), Lemma 2, Propositions 2 to 4, Corollary 1).
//
//     H = E + h^2/4 (2 beta - gamma) a^T M a + eta/2 (nu - gamma + 1/2) zeta^T K zeta,   nu = 1/2 - alpha_m,
//     eta = alpha_f - alpha_m,      (1 - alpha_m) zeta+ + alpha_m zeta = q+ - q
//
// with zeta = z/nu: the filter of the report divided by its time scale, so that rho_inf = 1, where nu = 0, is a case
// like every other. For a linear system, alpha_m <= 1/2 and steps of one size,
//
//     dH = (q+ - q)^T (F - C v)_{k+gamma} + U_1/2^T P - h^2/2 (gamma - 1/2)(2 beta - gamma) |a+ - a|_M^2
//          - (gamma - 1/2 - eta) |q+ - q|_K^2 - eta nu (nu - gamma + 1/2) |zeta+ - zeta|_K^2
//
// for generalized-alpha-kh; newmark (eta = 0), hht and generalized-alpha filter damping and load too:
// - eta (q+ - q)^T (phi - C xi)_{k+gamma} more, with xi and phi the same filters of v and F.
#include "ricochet/scheme/pieces/alpha.hpp"

namespace ricochet {

/// Member of the family: coefficients, and whether only the stiffness is filtered (Krenk and Høgsberg).
struct NewmarkMember {
  AlphaCoefficients c;
  bool stiffness_only = false;
};

/// The member that a scheme's name and options choose. Throws InputError for options that contradict each other.
NewmarkMember newmark_member(std::string_view name, const Options& options);

/// H of a state of this member, reached with steps h. Needs the scheme's memory.
double algorithmic_energy(const Model& model, const NewmarkMember& member, const State& state, double h,
                          ModelScratch& scratch);

}  // namespace ricochet
