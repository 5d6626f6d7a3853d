#include "callables.hpp"

#include <fmt/format.h>

#include "ricochet/math/input_error.hpp"

namespace ricochet::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

Numbers numbers(const std::string& name, const py::object& returned) {
  if (!returned.is_none()) {  // numpy would make it no number
    Numbers out = Numbers::ensure(returned);
    if (out) return out;
    PyErr_Clear();
  }
  throw InputError(name, fmt::format("the function returned {}; accepted: numbers",
                                     py::cast<std::string>(py::repr(py::type::of(returned)))));
}

std::string shape_of(const Numbers& x) { return py::cast<std::string>(py::str(py::tuple(x.attr("shape")))); }

py::array_t<double> array(const VectorXd& x) { return py::array_t<double>(x.size(), x.data()); }

}  // namespace

Function::Function(std::string name, py::object function)
    : name_(std::move(name)), function_(new py::object(std::move(function)), [](py::object* held) {
        const py::gil_scoped_acquire lock;
        delete held;
      }) {
  if (PyCallable_Check(function_->ptr()) == 0) throw InputError(name_, "this is no function; accepted: f(t, q)");
}

double Function::number(const py::object& returned) const {
  if (PyFloat_Check(returned.ptr()) != 0) return PyFloat_AS_DOUBLE(returned.ptr());
  const Numbers x = numbers(name_, returned);
  if (x.size() != 1)
    throw InputError(name_, fmt::format("the function returned the shape {}; accepted: one number", shape_of(x)));
  return x.data()[0];
}

VectorXd Function::vector(const py::object& returned, Index n) const {
  const Numbers x = numbers(name_, returned);
  if (x.ndim() > 1 || x.size() != n)
    throw InputError(name_, fmt::format("the function returned the shape {}; accepted: ({},)", shape_of(x), n));
  return Eigen::Map<const VectorXd>(x.data(), n);
}

MatrixXd Function::matrix(const py::object& returned, Index rows, Index columns) const {
  const Numbers x = numbers(name_, returned);
  const bool fits = x.ndim() == 2 ? x.shape(0) == rows && x.shape(1) == columns
                                  : x.size() == rows * columns && (rows == 1 || columns == 1);
  if (!fits)
    throw InputError(name_,
                     fmt::format("the function returned the shape {}; accepted: ({}, {})", shape_of(x), rows, columns));
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(x.data(), rows,
                                                                                                  columns);
}

std::function<double(double, const VectorXd&)> number_of_q(const std::string& name, const py::object& f) {
  if (f.is_none()) return {};
  return [f = Function(name, f)](double t, const VectorXd& q) {
    const py::gil_scoped_acquire lock;
    return f.number(f(t, array(q)));
  };
}

std::function<VectorXd(double, const VectorXd&)> vector_of_q(const std::string& name, const py::object& f, Index rows) {
  if (f.is_none()) return {};
  return [f = Function(name, f), rows](double t, const VectorXd& q) {
    const py::gil_scoped_acquire lock;
    return f.vector(f(t, array(q)), rows);
  };
}

std::function<MatrixXd(double, const VectorXd&)> matrix_of_q(const std::string& name, const py::object& f, Index rows,
                                                             Index columns) {
  if (f.is_none()) return {};
  return [f = Function(name, f), rows, columns](double t, const VectorXd& q) {
    const py::gil_scoped_acquire lock;
    return f.matrix(f(t, array(q)), rows, columns);
  };
}

std::function<VectorXd(double, const VectorXd&, const VectorXd&)> vector_of_two(const std::string& name,
                                                                                const py::object& f, Index rows) {
  if (f.is_none()) return {};
  return [f = Function(name, f), rows](double t, const VectorXd& q, const VectorXd& x) {
    const py::gil_scoped_acquire lock;
    return f.vector(f(t, array(q), array(x)), rows);
  };
}

std::function<MatrixXd(double, const VectorXd&, const VectorXd&)> matrix_of_two(const std::string& name,
                                                                                const py::object& f, Index rows,
                                                                                Index columns) {
  if (f.is_none()) return {};
  return [f = Function(name, f), rows, columns](double t, const VectorXd& q, const VectorXd& x) {
    const py::gil_scoped_acquire lock;
    return f.matrix(f(t, array(q), array(x)), rows, columns);
  };
}

}  // namespace ricochet::python
