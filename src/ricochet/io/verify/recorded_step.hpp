#pragma once
// Two consecutive rows of a result, evaluated by the model: what the checks between rows look at.
#include <vector>

#include "ricochet/io/result/result_layout.hpp"
#include "ricochet/scheme/pieces/workspace.hpp"

namespace ricochet {

/// M at a row, and what it makes of impulses. Bodies are coupled by joints and forces, never by M.
class Inertia {
 public:
  explicit Inertia(const Model& model);
  void evaluate(const Model& model, const State& at, const Jacobian& G, ModelScratch& w);
  bool regular() const { return regular_; }  ///< false: mass was added to all coordinates, of the size of the largest
  void solve(VectorXd& x) const { mass_.solve(x); }
  const Jacobian& response() const { return response_; }  ///< M^-1 G

 private:
  OperatorLayout layout_;
  Operator mass_;
  bool known_ = false, regular_ = false;
  Jacobian response_;
};

/// All candidates at one row.
struct EvaluatedRow {
  State state;  ///< t, q, v
  Rows rows;
  std::vector<double> U;
};

struct RecordedStep {
  std::size_t row = 0;  ///< of its end
  double h = 0;
  double tolerance = 0;  ///< that it was held to, over the scales
  std::vector<Candidate> candidates;
  EvaluatedRow begin, end;
  std::vector<double> P, correction, smooth;  ///< of the candidates, as recorded; rows as in end.rows
  std::vector<double> smooth_before;
  std::vector<double> sizes;         ///< of the impulses: |P|, of a step in two impulses the sum of both
  std::vector<double> applied;       ///< restitution, by candidate, of schemes that may reduce it
  const Inertia* inertia = nullptr;  ///< at the end

  int first_row(std::size_t i) const { return end.rows.G.blocks()[i].row; }
};

/// Gaps, gradients and velocities of the candidates.
void evaluate_row(const Model& model, const std::vector<Candidate>& candidates, EvaluatedRow& at, ModelScratch& w);

}  // namespace ricochet
