#pragma once
// The smooth motion of generalized-alpha as affine functions of v~_next, and its start.
//
//     q~ = q ⊕ x~,   x~ = h v + h^2 (1/2 - beta) a + h^2 beta a+,        v~ = v + h (1 - gamma) a + h gamma a+
//     (1 - alpha_m) a+ + alpha_m a = (1 - alpha_f) v~'+ + alpha_f v~'
//
// hence  v~'+ = c_M / h (v~ - v0),  x~ = x0 + (h beta / gamma) (v~ - v0),  c_M = (1 - alpha_m) / ((1 - alpha_f) gamma).
#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {

struct AlphaCoefficients {
  double alpha_m = 0, alpha_f = 0, gamma = 0.5, beta = 0.25;
  double c_M() const { return (1 - alpha_m) / ((1 - alpha_f) * gamma); }
  /// Chung and Hulbert's choice, bruls-2014 (31).
  static AlphaCoefficients of_spectral_radius(double rho_inf);
};

/// Places of the two vectors that alpha-schemes keep in State::memory.
enum AlphaMemory { kPseudoAcceleration = 0, kAcceleration = 1 };

class AlphaMotion {
 public:
  explicit AlphaMotion(const Model& m)
      : a_next(m.nv()), v0(m.nv()), x0(m.nv()), v(m.nv()), x(m.nv()), acceleration(m.nv()) {}

  /// Start values of the step: v~' = 0.
  void predict(const AlphaCoefficients& c, const State& state, double h);
  /// x~ and v~' for the present v~.
  void follow(const AlphaCoefficients& c, double h);
  /// a+ and v~'+ into the memory of the next state.
  void finish(const AlphaCoefficients& c, State& next) const;

  VectorXd a_next;        ///< (alpha_f v~' - alpha_m a) / (1 - alpha_m), a+ without its part in v~'+
  VectorXd v0, x0;        ///< v~ and x~ at v~'+ = 0
  VectorXd v, x;          ///< v~, x~
  VectorXd acceleration;  ///< v~'+
};

/// a = v~' = the acceleration that the joints allow at (t, q, v): M a + convective = f + G lambda, G^T a + bias = 0.
void start_acceleration(const Model& model, State& state, Workspace& w, const Controls& controls);

}  // namespace ricochet
