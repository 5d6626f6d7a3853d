// Models of functions: a Lagrangian system, joints and contacts whose values are computed in Python, and laws of ones
// own; alone, or beside the system of a scenario.
#include <fmt/format.h>

#include <cmath>

#include "callables.hpp"
#include "case.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/model/callables.hpp"
#include "ricochet/scheme/features.hpp"

namespace ricochet::python {
namespace {

/// What a law may say: numbers by name.
class FunctionLaw final : public ContactLaw {
 public:
  explicit FunctionLaw(Function f) : f_(std::move(f)) {}
  std::string_view name() const override { return "function"; }
  int dim(int tangents) const override { return 1 + std::min(tangents, 2); }

  LocalLaw local(const LocalState& s) const override {
    const py::gil_scoped_acquire lock;
    const py::array_t<double> U(s.dim, s.U_before.data());
    const py::object told = f_(s.h, s.gap_before, U);
    LocalLaw law;
    law.cone = s.dim == 1 ? Cone::nonnegative : Cone::coulomb;
    if (!py::isinstance<py::dict>(told)) {
      law.restitution = check("restitution", f_.number(told));
      return law;
    }
    for (const auto& [key, value] : py::cast<py::dict>(told)) {
      const auto word = py::cast<std::string>(py::str(key));
      const double x = check(word.c_str(), f_.number(py::reinterpret_borrow<py::object>(value)));
      if (word == "restitution")
        law.restitution = x;
      else if (word == "friction")
        law.mu = x;
      else if (word == "compliance")
        law.compliance[0] = x;
      else
        throw InputError(f_.name(),
                         fmt::format("the law says '{}'; accepted: restitution, friction, compliance", word));
    }
    return law;
  }

 private:
  double check(const char* what, double x) const {
    if (std::isfinite(x) && x >= 0) return x;
    throw InputError(f_.name(), fmt::format("{} {}; accepted: finite numbers, not negative", what, x));
  }

  Function f_;
};

struct ConstraintSpec {
  std::string name;
  bool joint;
  py::object value, gradient, curvature, rate, law;
  LawParameters parameters;
  int rows;
};

struct SystemSpec {
  std::vector<std::string> coordinates;
  py::object mass, force, potential, potential_gradient, convective, stiffness, damping;
};

std::string law_name(const py::object& law) { return py::isinstance<py::str>(law) ? py::cast<std::string>(law) : ""; }

void add_constraints(const std::vector<ConstraintSpec>& specs, int n, ModelBuilder& builder) {
  std::vector<ConstraintCallable> all;
  for (const ConstraintSpec& s : specs) {
    ConstraintCallable c{s.name,
                         s.rows,
                         nullptr,
                         vector_of_q(s.name, s.value, s.rows),
                         matrix_of_q(s.name + ".gradient", s.gradient, s.rows, n),
                         matrix_of_two(s.name + ".curvature", s.curvature, n, n),
                         matrix_of_two(s.name + ".rate", s.rate, s.rows, n)};
    if (!s.joint) {
      std::unique_ptr<ContactLaw> law;
      if (PyCallable_Check(s.law.ptr()) != 0)
        law = std::make_unique<FunctionLaw>(Function(s.name + ".law", s.law));
      else
        law = make_law(law_name(s.law), s.parameters);
      if (!law) throw InputError(s.name, fmt::format("there is no law '{}'", law_name(s.law)));
      c.law = builder.add(std::move(law));
    }
    all.push_back(std::move(c));
  }
  if (!all.empty()) builder.add(make_constraints(std::move(all), n));
}

std::unique_ptr<Subsystem> make_system(const SystemSpec& s) {
  const auto n = static_cast<Index>(s.coordinates.size());
  LagrangianCallables c{s.coordinates,
                        {},
                        vector_of_two("force", s.force, n),
                        number_of_q("potential", s.potential),
                        vector_of_q("potential_gradient", s.potential_gradient, n),
                        vector_of_two("convective", s.convective, n),
                        matrix_of_two("stiffness", s.stiffness, n, n),
                        matrix_of_two("damping", s.damping, n, n)};
  if (PyCallable_Check(s.mass.ptr()) != 0) {
    c.mass = matrix_of_q("mass", s.mass, n, n);
  } else {  // a matrix
    const MatrixXd M = py::cast<MatrixXd>(s.mass);
    if (M.rows() != n || M.cols() != n || !M.allFinite())
      throw InputError("mass", fmt::format("{} x {} numbers; accepted: {} x {}, finite", M.rows(), M.cols(), n, n));
    c.mass = [M](double, const VectorXd&) { return M; };
    if (!c.convective)
      c.convective = [n](double, const VectorXd&, const VectorXd&) -> VectorXd { return VectorXd::Zero(n); };
  }
  return make_lagrangian(std::move(c));
}

void check_features(const Scheme& scheme, const Model& model) {
  const auto refuse = [&](SchemeFeature feature, const char* what, bool asked) {
    if (asked && support(scheme.info(), feature) == Support::no)
      throw InputError(
          "scheme", fmt::format("{} has no {}; accepted: {}", scheme.info().name, what, join(schemes_with(feature))));
  };
  for (const ConstraintItem& item : model.items()) {
    refuse(SchemeFeature::joints, "joints", item.bilateral);
    refuse(SchemeFeature::friction, "friction", !item.bilateral && item.dim > 1);
  }
}

struct RunSpec {
  std::string scheme;
  OptionValues options;
  double step, until;
  VectorXd q, v;
};

std::shared_ptr<const Case> function_model(const std::string& name, const SystemSpec& system,
                                           const std::vector<ConstraintSpec>& constraints, const RunSpec& run) {
  const auto make = [=](const Case::Overrides& overrides, const Extension& extension) {
    if (!overrides.empty())
      throw InputError("", "a model of functions has no scenario to change; accepted: another model");
    Scenario out;
    out.name = name;
    out.source = name;
    out.text = "# " + name + ": a model of Python functions, which no file can hold\n";
    out.initial.q = run.q;
    out.initial.v = run.v;
    out.scheme = run.scheme;
    out.options = run.options;
    out.policy.step = run.step;
    out.policy.until = run.until;
    ModelBuilder builder;
    builder.add(make_system(system));
    add_constraints(constraints, static_cast<int>(system.coordinates.size()), builder);
    if (extension) extension(builder, out.initial);
    out.model = builder.freeze();
    check_features(*make_scheme(out.scheme, out.options), out.model);
    return out;
  };
  return make_case(make, {}, true);
}

std::shared_ptr<const Case> extended(const Case& c, const std::vector<ConstraintSpec>& constraints) {
  const auto make = [inner = c.make, constraints](const Case::Overrides& overrides, const Extension& extension) {
    Scenario out = inner(overrides, [&](ModelBuilder& builder, const State& initial) {
      if (initial.q.size() != initial.v.size())
        throw InputError("contacts",
                         "functions of the coordinates do not go with bodies that turn in space; accepted: "
                         "systems of formulas, bodies in a plane");
      add_constraints(constraints, static_cast<int>(initial.v.size()), builder);
      if (extension) extension(builder, initial);
    });
    return out;
  };
  return make_case(make, c.overrides, true);
}

std::shared_ptr<const Case> with_forces(const Case& c, const std::shared_ptr<VectorXd>& forces) {
  return make_case(c.make, c.overrides, c.callbacks, [&](ModelBuilder& builder, const State& initial) {
    if (forces->size() != initial.v.size()) *forces = VectorXd::Zero(initial.v.size());
    builder.add(make_applied_forces(forces));
  });
}

}  // namespace

void add_models(py::module_& module) {
  py::class_<ConstraintSpec>(module, "ConstraintSpec")
      .def(py::init([](const std::string& name, bool joint, py::object value, py::object gradient, py::object curvature,
                       py::object rate, py::object law, double restitution, double friction, int rows) {
        return ConstraintSpec{name,
                              joint,
                              std::move(value),
                              std::move(gradient),
                              std::move(curvature),
                              std::move(rate),
                              std::move(law),
                              {restitution, friction, 0, 0},
                              rows};
      }));
  py::class_<SystemSpec>(module, "SystemSpec")
      .def(py::init([](std::vector<std::string> coordinates, py::object mass, py::object force, py::object potential,
                       py::object gradient, py::object convective, py::object stiffness, py::object damping) {
        return SystemSpec{std::move(coordinates), std::move(mass),       std::move(force),     std::move(potential),
                          std::move(gradient),    std::move(convective), std::move(stiffness), std::move(damping)};
      }));
  py::class_<RunSpec>(module, "RunSpec")
      .def(py::init([](std::string scheme, OptionValues options, double step, double until, VectorXd q, VectorXd v) {
        return RunSpec{std::move(scheme), std::move(options), step, until, std::move(q), std::move(v)};
      }));
  py::class_<Forces>(module, "Forces").def(py::init()).def_property_readonly("array", [](const Forces& f) {
    auto held = std::make_unique<std::shared_ptr<VectorXd>>(f.values);
    const py::capsule keeper(held.get(), [](void* p) { delete static_cast<std::shared_ptr<VectorXd>*>(p); });
    static_cast<void>(held.release());
    return py::array_t<double>(f.values->size(), f.values->data(), keeper);
  });
  module.def("function_model", &function_model);
  module.def("extended", &extended);
  module.def("with_forces", [](const Case& c, const Forces& f) { return with_forces(c, f.values); });
}

}  // namespace ricochet::python
