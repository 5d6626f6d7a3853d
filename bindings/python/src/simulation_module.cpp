// What Python sees of a simulation, its states and its steps.
#include <pybind11/eigen.h>

#include "simulation.hpp"

namespace ricochet::python {
namespace {

py::array over(const Step& s, std::size_t place, std::size_t n) {
  return array_over(s.numbers + place, {static_cast<py::ssize_t>(n)}, {sizeof(double)}, s.block);
}

py::dict named(const Step& s, std::size_t place, const std::vector<std::string>& names) {
  py::dict out;
  for (std::size_t k = 0; k < names.size(); ++k) out[py::str(names[k])] = s.numbers[place + k];
  return out;
}

py::array contacts_of(const Step& s) {
  return array_over(s.contacts, {static_cast<py::ssize_t>(s.contact_count)}, {sizeof(ContactEntry)}, s.contact_block);
}

/// A vector of another's, as it is now.
py::array_t<double> copy_of(const VectorXd& x) { return py::array_t<double>(x.size(), x.data()); }

std::string text_of(const Step& s) {
  return "<ricochet.Step t=" + py::cast<std::string>(py::repr(py::float_(s.numbers[s.layout->t]))) + ">";
}

/// The next step of a loop. What ends the loop other than the end of the run is an exception.
Step next_step(const py::object& self) {
  auto& simulation = py::cast<Simulation&>(self);
  if (auto step = simulation.step()) return *std::move(step);
  py::module_::import("ricochet._simulation").attr("_raise_if_failed")(self);
  throw py::stop_iteration();
}

}  // namespace

void add_simulation(py::module_& module) {
  py::class_<Step>(module, "Step", "What one step left: the state at its end, and its books.")
      .def_property_readonly(
          "t", [](const Step& s) { return s.numbers[s.layout->t]; }, "Time at its end [s].")
      .def_property_readonly(
          "h", [](const Step& s) { return s.numbers[s.layout->h]; }, "Its size [s].")
      .def_property_readonly(
          "q", [](const Step& s) { return over(s, s.layout->q, s.layout->names().positions.size()); },
          "Configuration at its end.")
      .def_property_readonly(
          "v", [](const Step& s) { return over(s, s.layout->v, s.layout->names().velocities.size()); },
          "Velocity at its end.")
      .def_property_readonly(
          "energy", [](const Step& s) { return named(s, s.layout->energy, energy_names()); },
          "Energies at its end and what was exchanged, by name [J].")
      .def_property_readonly(
          "certificate", [](const Step& s) { return named(s, s.layout->certificate, certificate_names()); },
          "Largest errors, by name.")
      .def_property_readonly(
          "iterations", [](const Step& s) { return named(s, s.layout->iterations, iteration_names()); },
          "Counts of passes and iterations, by name.")
      .def_property_readonly("contacts", &contacts_of, "Contacts that are closed or carried an impulse.")
      .def("__repr__", &text_of);

  py::class_<RunState>(module, "State", "All that the next steps depend on: a value that can be kept and given back.")
      .def_property_readonly(
          "t", [](const RunState& s) { return s.state.t; }, "Time [s].")
      .def_property_readonly(
          "q", [](const RunState& s) { return copy_of(s.state.q); }, "Configuration, a copy.")
      .def_property_readonly(
          "v", [](const RunState& s) { return copy_of(s.state.v); }, "Velocity, a copy.")
      .def("__repr__", [](const RunState& s) {
        return "<ricochet.State t=" + py::cast<std::string>(py::repr(py::float_(s.state.t))) + ">";
      });

  py::class_<Simulation>(module, "Simulation")
      .def(py::init([](std::shared_ptr<const Case> from, std::optional<std::int64_t> record_every, int threads,
                       const Forces* forces) {
        return std::make_unique<Simulation>(std::move(from), record_every, threads, forces ? forces->values : nullptr);
      }))
      .def("_run", &Simulation::run)
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &next_step)
      .def("_change", &Simulation::change)
      .def("_result", &Simulation::result)
      .def("_place", &Simulation::place)
      .def("_restore", &Simulation::restore)
      .def("stop", &Simulation::stop, "Ends a run that goes on in another thread, as Ctrl-C does.")
      .def_property_readonly("_failure", [](Simulation& s) { return s.result()->failure; })
      .def_property("until", &Simulation::until, &Simulation::set_until, "The end of the run [s].")
      .def_property_readonly("t", &Simulation::time, "Present time [s].")
      .def_property_readonly(
          "steps", [](const Simulation& s) { return s.state().summary.steps; }, "Made so far.")
      .def_property_readonly("_q", [](const Simulation& s) { return copy_of(s.state().state.q); })
      .def_property_readonly("_v", [](const Simulation& s) { return copy_of(s.state().state.v); })
      .def_property_readonly("_state", [](const Simulation& s) { return RunState(s.state()); });
}

}  // namespace ricochet::python
