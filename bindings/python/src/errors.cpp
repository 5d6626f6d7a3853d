// Bad input is an exception of Python with the text that the program prints.
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
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      const py::object value = type(error.what());
      value.attr("where") = error.where;
      value.attr("message") = error.message;
      PyErr_SetObject(type.ptr(), value.ptr());
    }
  });
}

}  // namespace ricochet::python
