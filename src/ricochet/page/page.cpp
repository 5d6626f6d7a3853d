#include "ricochet/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ricochet/io/file/output.hpp"
#include "ricochet/page/svg.hpp"

namespace ricochet {

const char* zoom_script();  // report_script.cpp

namespace {

using svg::escape;

constexpr const char* kStyle = R"(
:root{color-scheme:light;--ink:#1f2933;--soft:#52606d;--line:#e1e7ec;--accent:#0072b2}
*{box-sizing:border-box}
body{margin:0;background:#f5f7f9;color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 24px 64px;background:#fff;min-height:100vh;border:solid var(--line);border-width:0 1px}
header{border-bottom:3px solid var(--accent);padding-bottom:14px;margin-bottom:22px}
h1{font-size:28px;line-height:1.2;margin:0}
header p{margin:6px 0 0;color:var(--soft)}
nav{margin:0 0 22px;font-size:14px}nav a{color:var(--accent);text-decoration:none;margin-right:18px}nav a:hover{text-decoration:underline}
h2{font-size:20px;margin:36px 0 8px;padding-bottom:4px;border-bottom:1px solid var(--line)}
p{margin:8px 0 12px;max-width:75ch}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(230px,1fr));gap:0 28px;margin:0 0 18px}
dl div{display:flex;justify-content:space-between;gap:14px;border-bottom:1px solid var(--line);padding:6px 0}
dt{color:var(--soft)}dd{margin:0;font-weight:600;text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,460px),1fr));gap:18px 22px;margin:14px 0}
figure{margin:0;min-width:0}figure.wide{grid-column:1/-1}
figure svg{display:block;width:100%}
figcaption,caption{color:var(--soft);font-size:13.5px;padding-top:4px;text-align:left;caption-side:bottom}
.scroll{overflow-x:auto;margin:14px 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px}
td:first-child{white-space:nowrap}
th,td{padding:6px 14px 6px 0;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;border-bottom:2px solid #9aa5b1;white-space:nowrap}
.n{text-align:right;white-space:nowrap}th,td{padding-right:8px}th:not(:first-child),td:not(:first-child){padding-left:8px}
.note{border-left:4px solid var(--soft);background:#f5f7f9;padding:9px 14px;margin:12px 0}
.good{border-color:#009e73;background:#edf8f4}.warning{border-color:#e69f00;background:#fdf6e7}.bad{border-color:#d55e00;background:#fdf1ea}
pre{background:#f5f7f9;border:1px solid var(--line);padding:12px 14px;overflow-x:auto;font:13px/1.5 ui-monospace,"DejaVu Sans Mono",Menlo,monospace;margin:8px 0 14px}
summary{cursor:pointer;color:var(--accent)}
svg[data-zoom]{cursor:crosshair;touch-action:pan-y}
.hint{color:var(--soft);font-size:13px;margin:-10px 0 18px}
@media print{.hint{display:none}figure{page-break-inside:avoid}.figures{grid-template-columns:1fr 1fr}figure.wide{grid-column:1/-1}details:not([open])>*{display:none}body{font-size:11px}body,main{background:#fff;border:0}main{max-width:none;padding:0}nav{display:none}figure,tr,.note{break-inside:avoid}h2{break-after:avoid}}
)";

bool looks_like_number(const std::string& cell) {
  const std::size_t digit = cell.find_first_of("0123456789");
  if (digit == std::string::npos) return cell.empty() || cell == "-" || cell == "–" || cell == "nan" || cell == "inf";
  return std::all_of(cell.begin(), cell.begin() + static_cast<std::ptrdiff_t>(digit),
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; }) &&
         cell.find_first_not_of("0123456789.,eE+-<>=~ %×·^()\xE2\x88\x92\xC3\x97") == std::string::npos;
}

std::string anchor(std::size_t k) { return fmt::format("s{}", k); }

}  // namespace

Page::Page(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

// Figures in a row share one grid, which anything else closes.
void Page::add(const std::string& html, bool is_figure) {
  if (is_figure && !figures_open_) body_ += "<div class=\"figures\">\n";
  if (!is_figure && figures_open_) body_ += "</div>\n";
  figures_open_ = is_figure;
  body_ += html + "\n";
}

void Page::summary(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out = "<dl>";
  for (const auto& [key, value] : entries)
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape(key), escape(value));
  add(out + "</dl>");
}

void Page::section(const std::string& heading, const std::string& paragraph) {
  add(fmt::format("<h2 id=\"{}\">{}</h2>", anchor(headings_.size()), escape(heading)));
  headings_.push_back(heading);
  if (!paragraph.empty()) text(paragraph);
}

void Page::text(const std::string& paragraph) { add("<p>" + escape(paragraph) + "</p>"); }

void Page::link(const std::string& target, const std::string& text) {
  add(fmt::format("<p><a href=\"{}\">{}</a></p>", escape(target), escape(text)));
}

void Page::note(Tone tone, const std::string& text) {
  static constexpr const char* kNames[] = {"good", "plain", "warning", "bad"};
  add(fmt::format("<div class=\"note {}\">{}</div>", kNames[static_cast<int>(tone)], escape(text)));
}

void Page::figure(const std::string& svg, const std::string& caption, bool wide) {
  const std::string below = caption.empty() ? "" : "<figcaption>" + escape(caption) + "</figcaption>";
  add(fmt::format("<figure{}>{}{}</figure>", wide ? " class=\"wide\"" : "", svg, below), true);
}

void Page::table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                 const std::string& caption) {
  std::vector<bool> numeric(head.size(), !rows.empty());
  for (const auto& row : rows)
    for (std::size_t j = 0; j < head.size(); ++j)
      numeric[j] = numeric[j] && (j >= row.size() || looks_like_number(row[j]));
  const auto cell = [&](const char* tag, std::size_t j, const std::string& text) {
    return fmt::format("<{0}{1}>{2}</{0}>", tag, numeric[j] ? " class=\"n\"" : "", escape(text));
  };
  std::string out = "<div class=\"scroll\"><table>";
  if (!caption.empty()) out += "<caption>" + escape(caption) + "</caption>";
  out += "<thead><tr>";
  for (std::size_t j = 0; j < head.size(); ++j) out += cell("th", j, head[j]);
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t j = 0; j < head.size(); ++j) out += cell("td", j, j < row.size() ? row[j] : "");
    out += "</tr>\n";
  }
  add(out + "</tbody></table></div>");
}

void Page::table(const TextTable& rows, const std::string& caption) {
  table(rows.front(), {rows.begin() + 1, rows.end()}, caption);
}

void Page::code(const std::string& text, const std::string& caption) {
  const bool is_long = std::count(text.begin(), text.end(), '\n') > 25;
  const std::string title = caption.empty() ? "text" : caption;
  const std::string pre = "<pre>" + escape(text) + "</pre>";
  if (is_long || !caption.empty())
    add(fmt::format("<details{}><summary>{}</summary>{}</details>", is_long ? "" : " open", escape(title), pre));
  else
    add(pre);
}

std::string Page::html() const {
  std::string navigation;
  if (headings_.size() > 2) {
    navigation = "<nav>";
    for (std::size_t k = 0; k < headings_.size(); ++k)
      navigation += fmt::format("<a href=\"#{}\">{}</a>", anchor(k), escape(headings_[k]));
    navigation += "</nav>\n";
  }
  // Figures that carry their numbers can be zoomed; a page without them has no script.
  const bool zooms = body_.find("data-zoom=") != std::string::npos;
  if (zooms)
    navigation +=
        "<p class=\"hint\">Drag across a figure to zoom in time, with Shift to move, double-click to go back; Ctrl and "
        "the wheel zoom as well. All figures over time move together.</p>\n";
  const std::string script = zooms ? fmt::format("<script>{}</script>\n", zoom_script()) : "";
  const std::string below = subtitle_.empty() ? "" : "<p>" + escape(subtitle_) + "</p>";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{0}</title>"
      "<link rel=\"icon\" href=\"data:,\"><style>{1}</style></head>\n"
      "<body><main><header><h1>{0}</h1>{2}</header>\n{3}{4}{5}</main>{6}</body></html>\n",
      escape(title_), kStyle, below, navigation, body_, figures_open_ ? "</div>\n" : "", script);
}

void Page::write(const std::filesystem::path& path) const { write_file(path, html()); }

}  // namespace ricochet
