#pragma once
// One HTML page that needs nothing but itself: no network, no font, a script of its own. It knows nothing of what it
// shows, and reads the same without the script and on paper. Light or dark as the reader has it.
//
//   Page report("Bouncing ball", "scheme combined, step 1e-3 s");
//   report.summary({{"status", "completed"}, {"steps", "2000"}});
//   report.section("Motion", "Height over time.");
//   report.figure(svg::render(plot), "Height of the ball.");
//   report.table({"scheme", "order"}, {{"moreau-jean", "1.01"}}, "Observed orders.");
//   report.write("ball.html");
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ricochet {

using TextTable = std::vector<std::vector<std::string>>;  ///< the first row is the head

class Page {
 public:
  enum class Tone : std::uint8_t { good, plain, warning, bad };

  explicit Page(std::string title, std::string subtitle = {});

  void summary(const std::vector<std::pair<std::string, std::string>>& entries);  ///< in columns
  /// Links lead to it by its heading in lower case, with hyphens: "Where it went" is at #where-it-went.
  void section(const std::string& heading, const std::string& text = {});
  void text(const std::string& paragraph);
  void link(const std::string& target, const std::string& text);
  /// What leads on to other pages: a picture, a name, what it says, a word below.
  struct Card {
    std::string target, title, text, below;
    Tone tone = Tone::plain;
    std::string picture{};  ///< SVG; empty: none
  };
  void cards(const std::vector<Card>& all);
  void note(Tone tone, const std::string& text);  ///< a line that is meant to be seen
  /// Figures that follow each other share a row where the page is wide enough, unless they are `wide`.
  void figure(const std::string& svg, const std::string& caption = {}, bool wide = false);
  /// Columns whose cells are all numbers are aligned to the right.
  void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
             const std::string& caption = {});
  void table(const TextTable& rows, const std::string& caption = {});
  void code(const std::string& text, const std::string& caption = {});  ///< as it stands, folded if it is long

  std::string html() const;
  void write(const std::filesystem::path& path) const;  ///< std::runtime_error if it cannot be written

 private:
  void add(const std::string& html, bool is_figure = false);

  std::string title_, subtitle_;
  std::string body_;
  std::vector<std::string> headings_;
  bool figures_open_ = false;
};

}  // namespace ricochet
