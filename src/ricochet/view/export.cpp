#include "ricochet/view/export.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <stdexcept>

#include "ricochet/io/file/output.hpp"
#include "ricochet/view/page.hpp"

namespace ricochet::view {
namespace {

std::string planes(const std::string& bytes) {
  constexpr std::size_t kWord = 8;
  const std::size_t words = bytes.size() / kWord;
  std::string out(bytes);
  for (std::size_t i = 0; i < words; ++i)
    for (std::size_t k = 0; k < kWord; ++k) out[k * words + i] = bytes[i * kWord + k];
  return out;
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), 9) != Z_OK)
    throw std::runtime_error("zlib could not compress the frames");
  out.resize(size);
  return out;
}

std::string base64(const std::string& bytes) {
  constexpr const char* kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kLetters[word >> (18 - 6 * k) & 63U];
  }
  return out;
}

// No text of a scenario ends the element that holds it.
std::string inside_script(std::string json) {
  std::string out;
  for (char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string packed(const std::string& bytes) { return base64(deflated(planes(bytes))); }

void write_page(const std::filesystem::path& path, const FileSource& results) {
  const std::string_view html = page();
  constexpr std::string_view kPlace = "<!--ricochet-data-->";
  const std::size_t at = html.find(kPlace);
  if (at == std::string_view::npos) throw std::logic_error("the page has no place for data");
  OutputFile out(path);
  out.write(html.substr(0, at));
  out.write("<script type=\"application/json\" id=\"ricochet-description\">");
  out.write(inside_script(results.description()));
  out.write("</script>\n");
  const auto element = [&](const std::string& id, const std::string& bytes) {
    out.write(fmt::format("<script type=\"text/plain\" id=\"{}\">", id));
    out.write(packed(bytes));
    out.write("</script>\n");
  };
  for (std::size_t r = 0; r < results.size(); ++r) {
    element(fmt::format("ricochet-overview-{}", r), results.overview(r));
    for (std::size_t k = 0; k < results.pieces(r); ++k)
      element(fmt::format("ricochet-piece-{}-{}", r, k), results.piece(r, k));
  }
  out.write(html.substr(at + kPlace.size()));
  out.commit();
}

}  // namespace ricochet::view
