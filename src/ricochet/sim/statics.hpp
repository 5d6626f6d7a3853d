#pragma once
// Whether what stands still may stay so: a static program over the contacts that are closed.
//
//     is there p with   f(q) + G p = 0,   p in K = { p_N >= 0, |p_T| <= mu p_N },   joints free?
//
// Its least-squares form is a cone program with one solution,
//
//     min over p in K of  1/2 |f + G p|^2 in the metric M^-1,     a = M^-1 (f + G p),
//
// which is a contact problem with the associated law, K ∋ p ⊥ G^T a ∈ K*. Equilibrium exists if and only if a = 0, and
// then p is one. Else a proves that there is none: G^T a is in K*, so that a . G p >= 0 for every p in K, and
// a . f = |a|_M^2 > 0; so f + G p = 0 for no p. (The set of all G p may lack its border: an equilibrium that only
// infinite reactions reach counts as one.) K grows with the coefficients of friction, so that there is a least part of
// them which holds.
//
// Equilibrium is necessary for rest, not sufficient: where friction leaves several motions, what stands may also fall.
#include <string>
#include <vector>

#include "ricochet/model/model.hpp"
#include "ricochet/model/state.hpp"

namespace ricochet {

struct Statics {
  std::string wrong{};   ///< why there is no answer; empty: there is one
  bool exists = false;   ///< an equilibrium
  int contacts = 0;      ///< closed ones
  double left = 0;       ///< |a|_M over that without contacts and joints
  double proof = 0;      ///< of no equilibrium: largest violation of G^T a in K*, over the largest entry of G^T a
  double largest = 0;    ///< reaction, normal part [N]
  int coordinate = -1;   ///< that begins to move most; -1: none
  double friction = -1;  ///< least multiple of the coefficients that holds; -1: none does
};

/// At the state's position, at rest. Contacts within `closed` of the scale of lengths are closed.
Statics find_equilibrium(const Model& model, const State& state, double closed);

}  // namespace ricochet
