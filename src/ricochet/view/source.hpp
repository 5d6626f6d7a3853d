#pragma once
// What a server shows: results in files, or a run that goes on. Asked by many threads at once.
#include <string>

namespace ricochet::view {

class Source {
 public:
  virtual ~Source() = default;
  /// {"format": "ricochet-view", "results": [...]}; docs/viewer.md.
  virtual std::string description() const = 0;
  virtual std::string overview(std::size_t result) const = 0;                  ///< empty if there is none
  virtual std::string piece(std::size_t result, std::size_t index) const = 0;  ///< likewise
  /// Of a run that goes on: waits for news after number `seen`, at most half a second, and tells them as JSON; `seen`
  /// becomes their number. Empty: none. A run that has ended says {"ended": true}.
  virtual std::string news(std::size_t& seen) const {
    static_cast<void>(seen);
    return R"({"ended":true})";
  }
};

}  // namespace ricochet::view
