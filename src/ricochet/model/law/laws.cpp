#include "ricochet/model/law.hpp"

namespace ricochet {

#define RICOCHET_LAW(factory, name, summary) std::unique_ptr<ContactLaw> make_##factory(const LawParameters&);
#include "ricochet/model/law/laws.def"
#undef RICOCHET_LAW

const std::vector<LawInfo>& laws() {
  static const std::vector<LawInfo> table = {
#define RICOCHET_LAW(factory, name, summary) {name, summary, make_##factory},
#include "ricochet/model/law/laws.def"
#undef RICOCHET_LAW
  };
  return table;
}

std::unique_ptr<ContactLaw> make_law(std::string_view name, const LawParameters& parameters) {
  if (name.empty()) {
    const bool turns = parameters.rolling > 0 || parameters.spinning > 0;
    name = turns ? "newton-coulomb-rolling" : parameters.friction > 0 ? "newton-coulomb" : "newton-impact";
  }
  for (const LawInfo& law : laws())
    if (law.name == name) return law.make(parameters);
  return nullptr;
}

}  // namespace ricochet
