#pragma once
// Entries computed on all cores, judged, and shown: text, JSON, pages.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ricochet/gallery/entry.hpp"

namespace ricochet::gallery {

enum class Verdict : std::uint8_t { pass, fail };
const char* name(Verdict verdict);

struct Judged {
  const Document* document = nullptr;
  const Entry* entry = nullptr;
  Outcome outcome;
  std::string error;  ///< why it could not be computed
  double seconds = 0;
  Verdict verdict() const;
};

/// Entries whose id is one of the words, or begins with one of them and a slash; all of them without words. InputError
/// for a word that fits none.
std::vector<Judged> select(const std::vector<std::string>& words, bool fast_only);

/// Computes all; `done` is called for each in their order as soon as those before it are there.
void compute(std::vector<Judged>& all, int threads, const std::function<void(const Judged&)>& done);

std::string to_text(const Judged& entry, bool verbose);
std::string to_json(const std::vector<Judged>& all);
/// index.html and a page for each document.
void write_pages(const std::vector<Judged>& all, const std::filesystem::path& folder);

}  // namespace ricochet::gallery
