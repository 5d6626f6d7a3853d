#include "ricochet/scheme/remedy.hpp"

#include <algorithm>

namespace ricochet {

std::string remedy(StepStatus status, std::string_view scheme) {
  const SchemeEntry* entry = find_scheme(scheme);
  const auto has = [&](std::string_view option) {
    return entry != nullptr && std::any_of(entry->options.begin(), entry->options.end(),
                                           [&](const OptionInfo& row) { return row.name == option; });
  };
  std::string out;
  std::string_view text = remedy(status);
  for (;;) {
    const std::size_t open = text.find('[');
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t bar = text.find('|', open), close = text.find(']', open);
    if (has(text.substr(open + 1, bar - open - 1))) out += text.substr(bar + 1, close - bar - 1);
    text.remove_prefix(close + 1);
  }
}

}  // namespace ricochet
