#include "ricochet/io/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ricochet {
namespace {

// Optimal string alignment distance; case does not count, so that 'Step' is at distance zero from 'step'.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto low = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> two(b.size() + 1), one(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) one[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = low(a[i - 1]) == low(b[j - 1]);
      row[j] = std::min({one[j] + 1, row[j - 1] + 1, one[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && low(a[i - 1]) == low(b[j - 2]) && low(a[i - 2]) == low(b[j - 1]))
        row[j] = std::min(row[j], two[j - 2] + 1);
    }
    std::swap(two, one);
    std::swap(one, row);
  }
  return one[b.size()];
}

}  // namespace

std::string join(std::span<const std::string> words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > 200) return {};
  std::string best;
  std::size_t smallest = std::string::npos;
  for (const std::string& candidate : candidates) {
    // A third of the letters may differ; beyond that a suggestion confuses more than it helps.
    const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    const std::size_t d = distance(word, candidate);
    const bool all_letters_differ = d >= std::min(word.size(), candidate.size());
    if (d <= allowed && !all_letters_differ && d < smallest) {
      smallest = d;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_word(std::string_view kind, std::string_view word, std::span<const std::string> accepted) {
  std::string out =
      fmt::format("unknown {} '{}'; accepted: {}", kind, word, accepted.empty() ? "none" : join(accepted));
  const std::string near = nearest(word, accepted);
  if (!near.empty()) out += fmt::format("; did you mean '{}'?", near);
  return out;
}

}  // namespace ricochet
