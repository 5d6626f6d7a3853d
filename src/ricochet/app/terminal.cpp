#include "ricochet/app/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ricochet::app {
namespace {

// Code points, not bytes.
std::size_t length(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, space - at);
    if (!lines.back().empty() && length(lines.back()) + 1 + length(word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = space + 1;
  }
  return lines;
}

std::string duration(double seconds) {
  if (!(seconds < 360000)) return "?";
  const auto s = static_cast<long>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

}  // namespace

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<int>(60, size.ws_col);
  return 100;
}

std::string table(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t k = 0; k + 1 < row.size(); ++k) {
      if (widths.size() <= k) widths.resize(k + 1, 0);
      widths[k] = std::max(widths[k], length(row[k]));
    }
  std::size_t before = indent.size();
  for (std::size_t w : widths) before += w + 2;
  const auto total = static_cast<std::size_t>(terminal_width());
  const std::size_t room = total > before + 30 ? total - before : 30;
  std::string out;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t k = 0; k + 1 < row.size(); ++k) line += row[k] + std::string(widths[k] - length(row[k]) + 2, ' ');
    const auto last = wrap(row.empty() ? "" : row.back(), room);
    line += last.front();
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
    for (std::size_t k = 1; k < last.size(); ++k) out += std::string(before, ' ') + last[k] + "\n";
  }
  return out;
}

Progress::Progress(bool wanted, double begin, double end)
    : wanted_(wanted && isatty(STDERR_FILENO) != 0),
      begin_(begin),
      end_(end),
      started_(std::chrono::steady_clock::now()),
      drawn_(started_) {}

void Progress::show(double t, std::int64_t steps) {
  if (!wanted_ || --left_ > 0) return;
  const auto now = std::chrono::steady_clock::now();
  const double waited = std::chrono::duration<double>(now - drawn_).count();
  if (waited < 0.01 && stride_ < 4096) stride_ *= 2;
  if (waited > 0.2) stride_ = std::max(1, stride_ / 2);
  left_ = stride_;
  if (waited < 0.1) return;
  drawn_ = now;
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const double done = end_ > begin_ ? std::clamp((t - begin_) / (end_ - begin_), 0.0, 1.0) : 1;
  draw(done, fmt::format("t = {:.4g} s  {:.3g} steps/s", t, static_cast<double>(steps) / elapsed));
}

void Progress::draw(double done, const std::string& text) {
  if (!wanted_) return;
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(done * kWidth);
  fmt::print(stderr, "\r\033[K[{}{}] {:3.0f} %  {}  {} left", std::string(filled, '='),
             std::string(kWidth - filled, ' '), 100 * done, text,
             duration(done > 0 ? elapsed * (1 - done) / done : 1e9));
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace ricochet::app
