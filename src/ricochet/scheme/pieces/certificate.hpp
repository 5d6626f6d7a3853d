#pragma once
// The one place that decides whether an attempt counts. What the step leaves is evaluated anew at its end, from the
// impulses, the laws and the rows of all candidates; no solver is asked. Every entry is held to the tolerance of the
// constraints (its ladder: solver < Newton < constraint < activation):
//
//     penetration, joint position     by schemes that declare exact_position
//     joint velocity                  by schemes that declare exact_velocity
//     complementarity                 by all: of the scheme's own conditions where its step has parts or its rows lie
//                                     elsewhere; else of the laws, K ∋ P ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*, of every
//                                     contact that carries an impulse or is closed at both ends of the step
//
// A contact of the last kind without an impulse was left out by the forecast. If it approaches by less than the
// activation tolerance over a step, it is at rest or in flight, as far as gaps can tell, and the step stands; where
// both gaps are zero to the tolerance it is no flight, and counted and shown as below. Published forecasts do so with
// a contact that opens as the step begins: others, or its weight, close it again within the step, and the next step
// takes it up. A scheme that does not promise to hold every closed contact counts it (StepReport::unheld), and the
// certificate shows the velocity. One that did not open has no such excuse, and a scheme that is exact in position
// hides it, because its gap is put to zero: the step fails (unheld_contact).
//
// Where a step has parts (SchemeInfo::one_impulse false) its own conditions say what the parts leave, and from outside
// what holds for any lawful parts is asked: the impulse of the whole step lies in its cone, as a sum of impulses does
// that do; and a contact whose gap is not above zero at both ends does not approach, unless it may have left and come
// back: with restitution, or where gaps drift with what opened as the step began.
//
// Rows without a position have no gap that says whether they count: their law is evaluated in every step, and where a
// bound depends on the load, with the impulse that the joint has had over the step in the end.
//
// Impulses that are so large that the momentum they give is lost in their rounding satisfy any law; that rounding, as a
// velocity, is part of the error.
//
// Round-off is no error: an entry passes below max(solver tolerance, 64 eps) times the size of the terms that it is the
// sum of, which are velocities, loads and lengths of the motion, never impulses: those of a solver gone astray are as
// large as one likes.
#include "ricochet/scheme/pieces/workspace.hpp"
#include "ricochet/solver/measures.hpp"

namespace ricochet {

/// An attempt that came to its end: what Scheme::step was given.
struct Attempted {
  const Model& model;
  const State& state;
  double h;
  const State& next;
  Workspace& w;
  StepReport& report;
};

/// Completes the certificate of a converged attempt and withdraws `converged` where it does not hold; the report then
/// blames the worst item. Needs end_step.
void certify(const SchemeInfo& info, const Tolerances& tolerance, const Attempted& step);

/// Natural residual of a contact's law over a jump of its velocity from U_before to U_after, in the unit of U, with the
/// impulse P (dim each). `mobility`: velocity for an impulse, mean of the diagonal of W; any positive number will do
/// where P = 0. The law is asked with what `before` holds. `restitution`: what was
/// applied where the scheme may reduce it, to what closes; null: the law's.
double law_residual(const Candidate& contact, const LocalState& before, const Mobility& mobility, const double* P,
                    const double* U_after, const double* restitution = nullptr);

}  // namespace ricochet
