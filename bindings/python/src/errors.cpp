// Bad input is an exception of Python with the text that the program prints.
#include <pybind11/eval.h>

#include "bindings.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::python {
namespace {

/// "--set simulation.until" and "--until" of the command line are "simulation.until" and "until" here.
std::string without_dashes(const std::string& where) {
  if (where.starts_with("--set ")) return where.substr(6);
  return where.starts_with("--") ? where.substr(2) : where;
}

}  // namespace

void add_errors(py::module_& module) {
  static py::handle type;
  type = py::exception<InputError>(module, "InputError", PyExc_ValueError).release();
  type.attr("__doc__") =
      "Something given by the user is wrong. The text says where, what, and what is accepted; `where` and `message`\n"
      "hold its two parts.";
  type.attr("__module__") = "ricochet";
  type.attr("where") = "";
  type.attr("message") = py::eval(
      "property(lambda self: str(self)[len(self.where) + 2:] if self.where else str(self), "
      "doc='What is wrong, and what is accepted.')");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      const std::string where = without_dashes(error.where);
      const py::object value = type(where.empty() ? error.message : where + ": " + error.message);
      value.attr("where") = where;
      PyErr_SetObject(type.ptr(), value.ptr());
    }
  });
}

}  // namespace ricochet::python
