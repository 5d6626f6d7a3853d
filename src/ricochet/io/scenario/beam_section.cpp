#include "ricochet/io/scenario/beam_section.hpp"

#include <fmt/format.h>

#include <numbers>

#include "ricochet/math/elementary.hpp"

namespace ricochet::scenario {
namespace {

using schema::Block;
using schema::Field;
using schema::Fields;
using schema::Shape;
using schema::Type;
using std::numbers::pi;

/// Areas and moments of a figure.
struct Figure {
  double area, shear_y, shear_z, torsion, inertia_y, inertia_z;
};

Field pair(const char* key, const char* unit, const char* doc) {
  return {.key = key,
          .type = Type::expression,
          .shape = Shape::list,
          .count = 2,
          .unit = unit,
          .doc = doc,
          .range = schema::above(0)};
}
Field positive_size(const char* key, const char* unit, const char* doc) {
  return {.key = key, .type = Type::expression, .unit = unit, .doc = doc, .range = schema::above(0)};
}

/// Saint-Venant's: a b^3 / 3 (1 - 192/pi^5 b/a sum over odd n of tanh(n pi a / 2b) / n^5), a >= b
double torsion_of_rectangle(double one, double other) {
  const double a = std::max(one, other), b = std::min(one, other);
  double sum = 0;
  for (int n = 9; n > 0; n -= 2) sum += elementary::tanh(n * pi * a / (2 * b)) / (1.0 * n * n * n * n * n);
  return a * b * b * b / 3 * (1 - 192 / (pi * pi * pi * pi * pi) * b / a * sum);
}

Figure rectangle(double y, double z) {
  const double A = y * z;
  return {A, 5.0 / 6 * A, 5.0 / 6 * A, torsion_of_rectangle(y, z), y * z * z * z / 12, z * y * y * y / 12};
}

/// Cowper's shear factor.
Figure tube(double outer, double inner, double poisson) {
  const double m = inner / outer, m2 = m * m, s = (1 + m2) * (1 + m2);
  const double factor = 6 * (1 + poisson) * s / ((7 + 6 * poisson) * s + (20 + 12 * poisson) * m2);
  const double A = pi * (outer * outer - inner * inner);
  const double I = pi / 4 * (outer * outer * outer * outer - inner * inner * inner * inner);
  return {A, factor * A, factor * A, 2 * I, I, I};
}

Figure free_form(const Fields& section, Numbers& numbers) {
  const double A = numbers.number(section, "area");
  if (!section.has("inertia")) section.fail("area", "needs `inertia` beside it");
  const std::vector<double> I = numbers.list(section, "inertia");
  const std::vector<double> shear =
      section.has("shear") ? numbers.list(section, "shear") : std::vector{5.0 / 6 * A, 5.0 / 6 * A};
  const double J = section.has("torsion") ? numbers.number(section, "torsion") : I[0] + I[1];
  return {A, shear[0], shear[1], J, I[0], I[1]};
}

Figure read_figure(const Fields& section, double poisson, Numbers& numbers) {
  const std::string kind = section.one_of({"rectangle", "circle", "tube", "area"});
  if (kind == "area") return free_form(section, numbers);
  for (const char* key : {"inertia", "shear", "torsion"})
    if (section.has(key))
      section.fail(key, fmt::format("goes with `area`; accepted beside it: nothing but `{}`", kind));
  if (kind == "circle") return tube(numbers.number(section, "circle"), 0, poisson);
  const std::vector<double> x = numbers.list(section, kind);
  if (kind == "rectangle") return rectangle(x[0], x[1]);
  if (!(x[1] < x[0])) section.fail("tube", "the hole is as wide as the tube; accepted: [outer, inner]");
  return tube(x[0], x[1], poisson);
}

}  // namespace

const Block& beam_section() {
  static const Block block{
      .name = "beam_section",
      .doc = "The cross-section in its axes y and z, x being along the beam: one of rectangle, circle, tube, area.",
      .fields = {
          pair("rectangle", "m", "Lengths along y and z. Shear areas are 5/6 of the area."),
          positive_size("circle", "m", "Radius. Shear areas are Cowper's."),
          pair("tube", "m", "Outer and inner radius. Shear areas are Cowper's."),
          positive_size("area", "m^2", "Area of another figure, with inertia."),
          pair("inertia", "m^4", "Second moments of area about y and z."),
          pair("shear", "m^2", "Shear areas along y and z; 5/6 of the area if not given."),
          positive_size("torsion", "m^4", "Torsion constant; the sum of the moments if not given, as for a circle."),
      }};
  return block;
}

BeamSection read_section(const Fields& section, const BeamMaterial& material, Numbers& numbers) {
  const Figure f = read_figure(section, material.poisson, numbers);
  const double E = material.young, G = E / (2 * (1 + material.poisson)), rho = material.density;
  return {.axial = E * f.area,
          .shear_y = G * f.shear_y,
          .shear_z = G * f.shear_z,
          .torsion = G * f.torsion,
          .bend_y = E * f.inertia_y,
          .bend_z = E * f.inertia_z,
          .mass = rho * f.area,
          .turn_y = rho * f.inertia_y,
          .turn_z = rho * f.inertia_z};
}

}  // namespace ricochet::scenario
