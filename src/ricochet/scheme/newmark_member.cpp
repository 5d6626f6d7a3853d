// Which member of the nonsmooth Newmark family a scheme's name and options choose.
#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/newmark.hpp"

namespace ricochet {

NewmarkMember newmark_member(std::string_view name, const Options& o) {
  NewmarkMember member;
  AlphaCoefficients& c = member.c;
  const auto alone = [&](const char* preset, std::initializer_list<const char*> others) {
    for (const char* other : others)
      if (o.given(preset) && o.given(other))
        throw InputError(other, std::string("contradicts ") + preset + "; give one of the two");
  };
  if (name == "newmark") {
    alone("preset", {"gamma", "beta"});
    const std::string& preset = o.choice("preset");
    c.gamma = o.number("gamma");
    c.beta = preset == "central-difference"    ? 0
             : preset == "linear-acceleration" ? 1.0 / 6
             : preset == "fox-goodwin"         ? 1.0 / 12
                                               : 0.25;
  } else if (name == "hht") {
    c.alpha_f = o.number("alpha");
  } else {
    member.stiffness_only = name == "generalized-alpha-kh";
    if (member.stiffness_only) alone("preset", {"rho_inf"});
    alone("rho_inf", {"alpha_m", "alpha_f"});
    const bool hht = member.stiffness_only && o.choice("preset") == "hht-1977";
    const bool wood = member.stiffness_only && o.choice("preset") == "wood-bossak-zienkiewicz";
    if (hht) alone("preset", {"alpha_m"});
    if (wood) alone("preset", {"alpha_f"});
    if (hht || wood || o.given("alpha_m") || o.given("alpha_f")) {
      c.alpha_m = wood && !o.given("alpha_m") ? -0.1 : o.given("alpha_m") ? o.number("alpha_m") : 0;
      c.alpha_f = hht && !o.given("alpha_f") ? 0.1 : o.given("alpha_f") ? o.number("alpha_f") : 0;
    } else {
      c = AlphaCoefficients::of_spectral_radius(o.number("rho_inf"));
    }
  }
  if (name != "newmark") c.gamma = o.given("gamma") ? o.number("gamma") : 0.5 + c.alpha_f - c.alpha_m;
  if (o.given("beta")) {
    c.beta = o.number("beta");
  } else if (name != "newmark" || o.given("gamma")) {
    c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
  }
  if (c.gamma < 0.05) throw InputError("gamma", "1/2 + alpha_f - alpha_m is below 0.05; give gamma, or other alphas");
  return member;
}

}  // namespace ricochet
