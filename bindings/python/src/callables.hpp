#pragma once
// Functions of Python as functions of C++. They may be called, copied and destroyed by any thread, with or without the
// interpreter's lock. What they return is checked; what they raise goes on to the caller of the run, traceback and all.
#include <pybind11/eigen.h>

#include "bindings.hpp"
#include "ricochet/math/view.hpp"

namespace ricochet::python {

class Function {
 public:
  Function(std::string name, py::object function);
  const std::string& name() const { return name_; }

  template <class... Arguments>
  py::object operator()(const Arguments&... arguments) const {
    return (*function_)(arguments...);
  }
  /// Numbers of a shape; InputError if they are not. Needs the lock.
  double number(const py::object& returned) const;
  VectorXd vector(const py::object& returned, Index n) const;
  MatrixXd matrix(const py::object& returned, Index rows, Index columns) const;

 private:
  std::string name_;
  std::shared_ptr<py::object> function_;
};

/// Empty where there is none. `n`: coordinates; `rows` of what is returned.
std::function<double(double, const VectorXd&)> number_of_q(const std::string& name, const py::object& f);
std::function<VectorXd(double, const VectorXd&)> vector_of_q(const std::string& name, const py::object& f, Index rows);
std::function<MatrixXd(double, const VectorXd&)> matrix_of_q(const std::string& name, const py::object& f, Index rows,
                                                             Index columns);
/// Of q and of velocities, or of multipliers.
std::function<VectorXd(double, const VectorXd&, const VectorXd&)> vector_of_two(const std::string& name,
                                                                                const py::object& f, Index rows);
std::function<MatrixXd(double, const VectorXd&, const VectorXd&)> matrix_of_two(const std::string& name,
                                                                                const py::object& f, Index rows,
                                                                                Index columns);

}  // namespace ricochet::python
