#pragma once
// What a run is compared with: a closed form, a scheme that locates events, or a run with a much smaller step.
#include <memory>
#include <string>
#include <vector>

#include "ricochet/analysis/exact.hpp"
#include "ricochet/analysis/filled_graph.hpp"
#include "ricochet/io/result/trajectory.hpp"

namespace ricochet {

class Reference {
 public:
  virtual ~Reference() = default;
  virtual const std::string& what() const = 0;  ///< for people: "closed form of ..."
  /// Motion at times that do not decrease, row by row; velocities are right limits. Many threads may ask. Throws
  /// std::runtime_error where it has no answer.
  virtual void follow(const std::vector<double>& t, std::vector<double>& q, std::vector<double>& v) const = 0;
  /// Filled-in graph of the velocities.
  virtual const FilledGraph& velocity_graph() const = 0;
};

struct ReferenceOptions {
  /// "auto", "exact", or a scheme as a scenario writes it
  std::string kind = "auto";
  double step = 0;      ///< of a run that is a reference; 0: an eighth of `smallest`
  double smallest = 0;  ///< step of the study
  const std::atomic<bool>* stop = nullptr;
};

/// auto: the closed form if there is one, else the scheme event-driven if it takes the scenario, else a refined run of
/// the scenario's own scheme. Throws InputError if what is asked for does not exist for this scenario.
std::unique_ptr<Reference> make_reference(const Scenario& scenario, const ReferenceOptions& options);

/// One coordinate with constant mass, stiffness, damping and force above one stop, found by asking the model: its exact
/// motion, y = slope q + offset.
struct ClosedForm {
  ExactStop motion;
  double slope = 1, offset = 0;
  double q(double t) const { return (motion.y(t) - offset) / slope; }
  double v(double t) const { return motion.v(t) / slope; }
};
/// Null if the scenario is not of that kind.
std::unique_ptr<ClosedForm> find_closed_form(const Scenario& scenario);

/// The continuous bar of a scenario with a bar, whose nodes are at x = 0 ... 1 and whose unit of length is the bar;
/// null if it is none. What a mesh leaves out is an error that no step makes small.
std::unique_ptr<ExactBar> find_exact_bar(const Scenario& scenario);

}  // namespace ricochet
