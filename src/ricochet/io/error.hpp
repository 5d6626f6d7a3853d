#pragma once
// The wording that all readers share: lists of what is accepted, and the nearest word to what was written.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/math/input_error.hpp"

namespace ricochet {

/// "a, b, c"
std::string join(std::span<const std::string> words, std::string_view separator = ", ");

/// The candidate with the smallest edit distance (a swap of neighbours counts one); empty if none is similar.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "unknown key 'x'; accepted: a, b; did you mean 'b'?" with `kind` = "key".
std::string unknown_word(std::string_view kind, std::string_view word, std::span<const std::string> accepted);

}  // namespace ricochet
