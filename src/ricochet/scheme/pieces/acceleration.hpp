#pragma once
// Accelerations, jumps and projections at one point (t, q, v), with the constraints that are closed there.
//
//     M a + convective - f = D lambda,        Gamma = L^T a + bias
//
// L holds the rows that a constraint keeps at zero, D the directions of its reaction:
//
//     joint               all its rows                          D = L
//     frictionless        the normal row                        D = L
//     sliding along s     the normal row                        D = G_N - mu G_T s,  s the unit direction of U_T
//     sticking            all its rows                          D = L
//
// With a fixed set, Gamma = 0, this is the index-1 form of the constrained dynamics (`hold`). Which of the closed
// contacts stay closed, stick or start to slide is a complementarity problem (`choose`), acary-2018 (20), (28):
//
//     frictionless, sliding   0 <= Gamma_N ⊥ lambda_N >= 0
//     sticking                K ∋ lambda ⊥ Gamma + mu |Gamma_T| n ∈ K*          (Coulomb's law for accelerations)
//
// The same matrix serves impacts (`jump`), acary-2018 (9), (27), with the laws' restitution and friction,
//
//     M (v+ - v-) = G P,      K ∋ P ⊥ U+ + e U- (+ mu |U_T+| n) ∈ K*
//
// and the projections that take out drift, q <- q ⊕ M^-1 G nu with g = 0 and v <- v + M^-1 G p with U = 0. A singular
// mass is regular together with the joints, as in stage.hpp.
//
// Redundant rows. Where the rows of a fixed set depend on each other, Gamma = 0 has many reactions, of which the ones
// of least norm need not obey the laws: between two walls that touch, each of them would carry half of the weight, one
// by pulling. Of all reactions that hold the set lawful ones are asked for (`hold_by_law`): those of least norm if they
// lie in their cones; else those of least norm without the contacts that pull, one after the other, if these do (which
// is continuous where a contact begins to pull, and divides a load between sliding contacts as equal feet would); else
// those of least norm among the solutions of the complementarity problem. If that leaves a row with Gamma != 0, the set
// cannot be held by lawful reactions: the phase ends (`slack`).
//
// Whatever a solver says of itself, choose and jump are judged by the natural residual of the laws with the rows
// evaluated anew from a or v+, relative to the size of what is put in. What fails is not to be applied.
#include <array>

#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {

enum class Hold : std::uint8_t { frictionless, sliding, sticking };

/// One constraint that is closed. A joint is held whatever `how` says.
struct Held {
  int candidate = 0;  ///< place among Workspace::candidates
  Hold how = Hold::frictionless;
  std::array<double, 2> slip{};  ///< sliding: the unit direction s; in the plane +-1
  bool creeps = false;           ///< sliding in space, too slowly to go by the direction of U_T
};

class Accelerations {
 public:
  explicit Accelerations(const Model& model);

  /// Room for that many rows of that many constraints; within reason, since the matrices are dense.
  void reserve(int rows, int constraints);

  std::vector<Held> held;  ///< the caller's to fill, joints first

  /// Rows, M^-1 G, W and the free accelerations at a point, for what `held` says. False: M is singular, also with the
  /// joints, or something is not finite.
  bool evaluate(const Model& model, const Point& at, Workspace& w);

  /// After evaluate: directions of what creeps, those of Coulomb's law for accelerations. The law for velocities turns
  /// U_T into the direction of Gamma_T at the rate mu W lambda_N / |U_T|: where that is fast, it is there already.
  /// What that law lets stick, far from its cone, keeps its direction. False: no solution was found.
  bool direct(const Controls& controls, SolverScratch& scratch, View a);
  /// In space: the tangential acceleration that friction alone gives to its contact.
  double pull(std::size_t k) const;
  /// In space: the tangential acceleration is not zero; friction is about as large as it can be.
  bool moves_off(std::size_t k) const;
  bool near_cone(std::size_t k) const;
  /// After evaluate: a for the fixed set, whatever the signs of the reactions. False: not finite.
  bool hold(View a);
  /// The same by lawful reactions where they are not unique. `chosen`: those of least norm were none.
  /// False: not finite, or no lawful reactions were found.
  bool hold_by_law(const Controls& controls, SolverScratch& scratch, View a);
  /// After evaluate: a and the reactions by complementarity; `least_norm` of them where they are not unique.
  SolveStatus choose(const Controls& controls, SolverScratch& scratch, View a, bool least_norm = false);
  /// After evaluate: v moves to v+. `inelastic` leaves restitution out. The reactions are then P, and gamma is U+.
  /// U_before: the velocities that restitution looks at, rows as in `held`; null: those of v itself.
  /// h: the rows are asked for a time h later, where the motion has turned them by h times the bias.
  SolveStatus jump(const Controls& controls, SolverScratch& scratch, bool inelastic, View v,
                   const double* U_before = nullptr, double h = 0);
  /// After evaluate: v with U = 0 in the held rows (sliding: the normal alone); the largest |U| that is left, evaluated
  /// anew, over its scale. Not finite where v is not.
  double project_velocity(View v);
  /// After evaluate: the increment x for which the linearised g of joints and closed contacts vanishes; the largest |g|
  /// over its scale is returned.
  double position_correction(View x);
  /// After evaluate: the largest |g| of joints and closed contacts over its scale.
  double position_error() const;

  // What the last of these left, by place in `held`: all rows of the constraint, normal first.
  const double* reaction(std::size_t k) const { return reaction_.data() + row(k); }  ///< lambda or P
  const double* gamma(std::size_t k) const { return gamma_.data() + row(k); }        ///< Gamma, or U+
  const double* U(std::size_t k) const { return U_.data() + row(k); }                ///< at the point of evaluate
  const double* g(std::size_t k) const { return rows_.g.data() + row(k); }
  const double* g_t(std::size_t k) const { return rows_.g_t.data() + row(k); }
  int dim(std::size_t k) const { return rows_.G.blocks()[k].dim; }
  int row(std::size_t k) const { return rows_.G.blocks()[k].row; }
  int rows() const { return rows_.G.rows(); }
  double mu(std::size_t k) const { return mu_[static_cast<Index>(k)]; }
  /// a without any reaction.
  void free(View a) const { copy(free_, a.data()); }
  /// Response of the normal acceleration to its own reaction, friction of sliding included, all others absent.
  double own_response(std::size_t k) const;
  /// Response of the normal acceleration to its own reaction, the other held rows kept at zero. Not positive for a
  /// sliding contact: Painleve's configuration. For the set that `hold` solved last.
  double stiffness(std::size_t k);
  /// |Gamma| and |lambda| that count as zero: round-off of the forces, and these divided by W.
  double gamma_noise() const { return gamma_noise_; }
  int solver_iterations = 0;
  double residual = 0;                    ///< natural residual of the last complementarity problem, rows evaluated anew
  bool redundant = false;                 ///< the reactions of `hold` are not unique
  bool loops() const { return looped_; }  ///< likewise, those of loops: loop_rows.hpp
  bool chosen = false;  ///< by the last `hold_by_law`: lawful reactions that are not those of least norm
  /// The largest |Gamma| of the rows that the set holds.
  double slack() const;

 private:
  /// Which rows of a constraint take part in a reduced problem, and along which directions their multipliers act.
  struct Choice {
    bool normals;   ///< contacts: the normal row alone
    bool friction;  ///< sliding contacts: friction follows the normal reaction
  };
  int count(std::size_t k, Choice c) const;
  bool factorise(const Model& model, const Point& at, Workspace& w);
  double W(int i, int j) const { return W_[i + static_cast<Index>(j) * rows_.G.rows()]; }
  /// A = L^T M^-1 D over the rows of the choice; the number of rows.
  int reduce(Choice c);
  /// x_ = -A^-1 b of the chosen rows, of least norm where A is singular; then the reactions of all rows.
  void solve_reduced(Choice c, const double* b);
  void expand(Choice c, const double* multipliers);
  /// gamma = W reaction + b, x += M^-1 G reaction.
  void apply(const double* b, View x);
  /// p of the problem, inside its cones to the last bit.
  void solve(const Controls& controls, double unit, SolverScratch& scratch, bool least_norm);
  /// Sizes of the rows, out of the scales of the run.
  void measure(const Workspace& w);
  double relative_speed(ConstView v) const;
  /// By the residual of u, the problem's rows evaluated anew, relative to `size`.
  SolveStatus judge(const Controls& controls, const double* u, double size);
  bool lawful() const;
  /// The reactions of `hold` once more, without the contacts that pull. False: what is left is not lawful.
  bool shed(View a);

  Rows rows_;
  LoopRows loops_;
  bool looped_ = false;
  std::vector<char> joint_;
  std::vector<LocalLaw> laws_;
  Operator S_;
  bool kept_ = false;  // S_ holds the factor of a constant mass
  double augmentation_ = 0;
  Jacobian Y_;
  VectorXd free_, r_, held_;
  Buffer W_, A_, x_, b_, U_, bias_, mu_, reaction_, gamma_, work_;
  std::vector<int> pivots_, index_;
  std::vector<char> shed_;  // by place in held
  Problem problem_;
  Solution solution_;
  double gamma_noise_ = 0;
  double length_ = 1, time_ = 1;
  Buffer per_size_;  // one over the sizes of the rows
  const double* per_rate_ = nullptr;
};

}  // namespace ricochet
