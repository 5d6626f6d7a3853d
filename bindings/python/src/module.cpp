// The compiled half of the package; bindings/python/ricochet is the other one and what users see.
#include "bindings.hpp"
#include "unlocked.hpp"

namespace ricochet::python {
namespace {

// An object that was made by __new__ alone has no value; the library would give it one of random bytes.
void refuse_empty_objects(const py::module_& module) {
  for (const auto& [name, value] : py::cast<py::dict>(module.attr("__dict__")))
    if (PyType_Check(value.ptr()) != 0)
      if (auto* info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr())))
        info->operator_new = [](std::size_t) -> void* {
          throw py::type_error("this object was made without its constructor and is nothing");
        };
}

}  // namespace
}  // namespace ricochet::python

PYBIND11_MODULE(_ricochet, module) {
  module.doc() = "The compiled half of ricochet: import ricochet instead.";
  ricochet::python::add_errors(module);
  ricochet::python::add_scenario(module);
  ricochet::python::add_result(module);
  ricochet::python::add_simulation(module);
  ricochet::python::add_models(module);
  ricochet::python::add_solve(module);
  ricochet::python::add_analysis(module);
  ricochet::python::add_files(module);
  ricochet::python::refuse_empty_objects(module);
  ricochet::python::wait_at_exit();
}
