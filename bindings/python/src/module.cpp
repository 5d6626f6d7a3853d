// The compiled half of the package; bindings/python/ricochet is the other one and what users see.
#include "bindings.hpp"

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
}
