// Bad input is an exception of Python with the text that the program prints.
#include <pybind11/eval.h>

#include "bindings.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::python {

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
      const py::object value = type(error.what());
      value.attr("where") = error.where;
      PyErr_SetObject(type.ptr(), value.ptr());
    }
  });
}

}  // namespace ricochet::python
