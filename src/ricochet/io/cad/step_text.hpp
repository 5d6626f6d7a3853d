#pragma once
// What a STEP file (ISO 10303-21) looks like from outside: things with numbers that name each other. Checked before
// anything heavier reads it, so that complaints about cut off or foreign files say where.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

class StepText {
 public:
  /// InputError "name:line" if the text is no STEP file, ends too early, or names things that are not in it.
  StepText(std::string_view text, const std::string& name);
  /// "name:line" of the thing with that number; the name alone if there is none.
  std::string where(std::int64_t number) const;
  struct Unit {
    std::int64_t number;
    double size;  ///< in metres or rad
    bool angle;
  };
  /// Of the geometry. InputError with its line if it has none of length, or one that is none: whoever reads on would
  /// take another one.
  std::vector<Unit> units() const;
  /// InputError with its line if there are sheets and no solid: some of these break the library.
  void check_solids() const;

 private:
  struct Entity {
    std::int64_t number;
    int line;
  };
  std::string name_;
  std::vector<Entity> entities_;              // by number
  std::map<std::int64_t, std::string> told_;  // what speaks of units and of what has them
};

}  // namespace ricochet
