#include "ricochet/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "ricochet/io/file/output.hpp"
#include "ricochet/page/svg.hpp"

namespace ricochet {

const char* page_script();  // script.cpp

namespace {

using svg::escape;

// Colours of the two themes. Figures are painted for paper (page/svg): in the dark their colours are exchanged by
// value, the palette's for lighter ones of the same hue.
constexpr const char* kLight =
    "color-scheme:light;--paper:#fff;--ground:#f5f7f9;--ink:#1f2933;--soft:#52606d;--line:#e1e7ec;--rule:#9aa5b1;"
    "--accent:#0068a3;--good:#edf8f4;--warning:#fdf6e7;--bad:#fdf1ea";
constexpr const char* kDark =
    "color-scheme:dark;--paper:#171c22;--ground:#0f1317;--ink:#e6ebf0;--soft:#a9b4bf;--line:#313a44;--rule:#6b7783;"
    "--accent:#6cb8ee;--good:#12291f;--warning:#2f2611;--bad:#331d12";
constexpr std::pair<const char*, const char*> kExchanged[] = {
    {"#fff", "#171c22"},    {"#1f2933", "#e6ebf0"}, {"#52606d", "#a9b4bf"}, {"#9aa5b1", "#6b7783"},
    {"#e1e7ec", "#313a44"}, {"#f1f4f7", "#232a32"}, {"#cbd2d9", "#4c5762"}, {"#0072B2", "#4ba3dc"},
    {"#D55E00", "#f08a3c"}, {"#009E73", "#35c496"}, {"#332288", "#9d90f0"}, {"#6b7280", "#9aa3ad"}};

constexpr const char* kStyle = R"(
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 24px 64px;background:var(--paper);min-height:100vh;border:solid var(--line);border-width:0 1px}
header{border-bottom:3px solid var(--accent);padding-bottom:14px;margin-bottom:22px;position:relative}
h1{font-size:28px;line-height:1.2;margin:0;padding-right:76px;overflow-wrap:anywhere}
header p{margin:6px 0 0;color:var(--soft)}
a{color:var(--accent)}
nav{margin:0 0 22px;font-size:14px;display:flex;flex-wrap:wrap;gap:2px 18px}nav a{text-decoration:none}nav a:hover{text-decoration:underline}
h2{font-size:20px;margin:36px 0 8px;padding-bottom:4px;border-bottom:1px solid var(--line)}
p{margin:8px 0 12px;max-width:75ch}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,330px),1fr));gap:0 28px;margin:0 0 18px}
dl div{display:flex;justify-content:space-between;gap:14px;border-bottom:1px solid var(--line);padding:6px 0}
dt{color:var(--soft);white-space:nowrap}dd{margin:0;font-weight:600;text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,460px),1fr));gap:18px 22px;margin:14px 0}
figure{margin:0;min-width:0;position:relative}figure.wide{grid-column:1/-1}
figure svg{display:block;width:100%}
figcaption,caption{color:var(--soft);font-size:13.5px;padding-top:4px;text-align:left;caption-side:bottom}
.scroll{overflow-x:auto;margin:14px 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px}
th:first-child{white-space:nowrap}
th,td{padding:6px 8px;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600}thead th{border-bottom:2px solid var(--rule);vertical-align:bottom}tbody th{font-weight:400}
th:first-child,td:first-child{padding-left:0}
.n{text-align:right;white-space:nowrap}
.note{border-left:4px solid var(--soft);background:var(--ground);padding:9px 14px;margin:12px 0}
.note.good{border-color:#009e73;background:var(--good)}.note.warning{border-color:#e69f00;background:var(--warning)}.note.bad{border-color:#d55e00;background:var(--bad)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,256px),1fr));gap:16px;margin:14px 0}
.card{display:block;border:1px solid var(--line);border-top:4px solid var(--rule);padding:8px 12px 10px;color:inherit;text-decoration:none;background:var(--paper)}
.card.good{border-top-color:#009e73}.card.bad{border-top-color:#d55e00}.card.warning{border-top-color:#e69f00}
a.card:hover,a.card:focus{outline:2px solid var(--accent)}
.card b{display:block}.card small{color:var(--soft);font-size:13px}.card svg{width:100%;height:auto;display:block;margin-bottom:6px}.card .blank{aspect-ratio:16/9;display:grid;place-items:center;color:var(--soft);background:var(--ground);margin-bottom:6px}
pre{background:var(--ground);border:1px solid var(--line);padding:12px 14px;overflow-x:auto;font:13px/1.5 ui-monospace,"DejaVu Sans Mono",Menlo,monospace;margin:8px 0 14px}
summary{cursor:pointer;color:var(--accent)}
svg[data-zoom]{cursor:crosshair;touch-action:pan-y}
svg .key[role]{cursor:pointer}svg .key[aria-pressed=false]{opacity:.35}
svg .cursor{stroke:var(--soft)}
.readout{position:absolute;z-index:1;pointer-events:none;background:var(--paper);border:1px solid var(--rule);padding:4px 8px;font-size:12.5px;line-height:1.4;font-variant-numeric:tabular-nums;box-shadow:0 1px 5px #0003}
.readout div{display:flex;gap:7px;align-items:center;white-space:nowrap}.readout b{margin-left:auto;padding-left:10px}.readout i{width:10px;height:10px;flex:none}
.hint{color:var(--soft);font-size:13px;margin:-10px 0 18px;max-width:none}
#theme{position:absolute;top:2px;right:0;font:inherit;font-size:13px;color:var(--accent);background:none;border:1px solid var(--line);padding:3px 9px;cursor:pointer}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:600px){main{padding:18px 14px 40px}h1{font-size:23px}dl div{flex-wrap:wrap}dd{text-align:left}}
@media print{@page{margin:14mm}.hint,#theme,nav{display:none}.figures{grid-template-columns:1fr 1fr}figure.wide{grid-column:1/-1}.cards{grid-template-columns:repeat(3,1fr)}
body{font-size:11px}body,main{background:#fff;border:0}main{max-width:none;padding:0}figure,tr,.note,.card{break-inside:avoid}h2{break-after:avoid}
.scroll{overflow:visible}table{font-size:9.5px;width:100%}th,td,.n,th:first-child{white-space:normal;overflow-wrap:anywhere;padding:3px 4px}pre{white-space:pre-wrap;overflow-wrap:anywhere}}
)";

// Light, unless the reader or the reader's system asks for dark; on paper always light.
std::string style() {
  std::string dark;
  const auto under = [&](const std::string& where) {
    std::string out = fmt::format("{}{{{}}}", where, kDark);
    for (const auto& [light, lit] : kExchanged)
      out += fmt::format("{0} svg [fill=\"{1}\"]{{fill:{2}}}{0} svg [stroke=\"{1}\"]{{stroke:{2}}}", where, light, lit);
    return out + fmt::format("{} svg{{fill:#e6ebf0}}", where);
  };
  return fmt::format(":root{{{}}}\n@media screen and (prefers-color-scheme:dark){{{}}}\n@media screen{{{}}}\n", kLight,
                     under(":root:not([data-theme=light])"), under(":root[data-theme=dark]")) +
         kStyle;
}

bool looks_like_number(const std::string& cell) {
  const std::size_t digit = cell.find_first_of("0123456789");
  if (digit == std::string::npos) return cell.empty() || cell == "-" || cell == "–" || cell == "nan" || cell == "inf";
  return std::all_of(cell.begin(), cell.begin() + static_cast<std::ptrdiff_t>(digit),
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; }) &&
         cell.find_first_not_of("0123456789.,eE+-<>=~ %×·^()\xE2\x88\x92\xC3\x97") == std::string::npos;
}

// An id of what a heading says: lower case, and hyphens for what is neither letter nor digit.
std::string anchor(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0)
      out += static_cast<char>(std::tolower(u));
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "section" : out;
}

constexpr const char* kTones[] = {"good", "plain", "warning", "bad"};

// Samples that several lines have in common stand on the page once: data-x is replaced by the id of the place.
std::string share_samples(const std::string& body, std::string& once) {
  constexpr std::string_view kMark = " data-x=\"";
  constexpr std::size_t kWorthIt = 64;
  std::map<std::string, std::string, std::less<>> ids;
  std::string out;
  std::size_t at = 0;
  for (std::size_t next; (next = body.find(kMark, at)) != std::string::npos;) {
    const std::size_t from = next + kMark.size(), to = body.find('"', from);
    out.append(body, at, from - at);
    const std::string_view samples = std::string_view(body).substr(from, to - from);
    at = to;
    if (samples.size() < kWorthIt) {
      out += samples;
      continue;
    }
    auto known = ids.find(samples);
    if (known == ids.end()) {
      known = ids.emplace(samples, fmt::format("x{}", ids.size())).first;
      once += fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", known->second, samples);
    }
    out += "#" + known->second;
  }
  return out.append(body, at);
}

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
  add(fmt::format("<h2 id=\"{}\">{}</h2>", anchor(heading), escape(heading)));
  headings_.push_back(heading);
  if (!paragraph.empty()) text(paragraph);
}

void Page::text(const std::string& paragraph) { add("<p>" + escape(paragraph) + "</p>"); }

void Page::link(const std::string& target, const std::string& text) {
  add(fmt::format("<p><a href=\"{}\">{}</a></p>", escape(target), escape(text)));
}

void Page::note(Tone tone, const std::string& text) {
  add(fmt::format("<div class=\"note {}\">{}</div>", kTones[static_cast<int>(tone)], escape(text)));
}

void Page::cards(const std::vector<Card>& all) {
  std::string out = "<div class=\"cards\">\n";
  for (const Card& c : all)
    out += fmt::format("<a class=\"card {}\" href=\"{}\">{}<b>{}</b>{}<br><small>{}</small></a>\n",
                       kTones[static_cast<int>(c.tone)], escape(c.target),
                       c.picture.empty() ? "<span class=\"blank\">no figure</span>" : c.picture, escape(c.title),
                       escape(c.text), escape(c.below));
  add(out + "</div>");
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
  const auto cell = [&](const char* tag, const char* scope, std::size_t j, const std::string& text) {
    return fmt::format("<{0}{3}{1}>{2}</{0}>", tag, numeric[j] ? " class=\"n\"" : "", escape(text), scope);
  };
  // Wider than the page it is moved under the keys too.
  std::string out = fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>",
                                caption.empty() ? "table" : escape(caption));
  if (!caption.empty()) out += "<caption>" + escape(caption) + "</caption>";
  out += "<thead><tr>";
  for (std::size_t j = 0; j < head.size(); ++j) out += cell("th", " scope=\"col\"", j, head[j]);
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t j = 0; j < head.size(); ++j) {
      const std::string& text = j < row.size() ? row[j] : std::string();
      out += j == 0 ? cell("th", " scope=\"row\"", j, text) : cell("td", "", j, text);
    }
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
  const std::string pre = "<pre tabindex=\"0\">" + escape(text) + "</pre>";
  if (is_long || !caption.empty())  // the script folds what is long: without it, and on paper, it stands open
    add(fmt::format("<details{} open><summary>{}</summary>{}</details>", is_long ? " class=\"long\"" : "",
                    escape(title), pre));
  else
    add(pre);
}

std::string Page::html() const {
  std::string navigation;
  if (headings_.size() > 2) {
    navigation = "<nav aria-label=\"sections\">";
    for (const std::string& heading : headings_)
      navigation += fmt::format("<a href=\"#{}\">{}</a>", anchor(heading), escape(heading));
    navigation += "</nav>\n";
  }
  if (body_.find("data-zoom=") != std::string::npos) {
    navigation +=
        "<p class=\"hint\">Point at a figure to read its numbers; drag to zoom in time, with Shift to move, "
        "double-click to go back. Names in a legend hide their lines. With the keys: arrows, Shift and arrows, + and "
        "-, "
        "Escape. All figures over time move together";
    navigation += body_.find("data-thinned=") != std::string::npos
                      ? "; some have more samples than a page carries and are thinned, the largest and smallest kept: "
                        "'ricochet plot --from --to' draws every step.</p>\n"
                      : "; zoomed in they show every row of the result.</p>\n";
  }
  std::string samples;
  const std::string body = share_samples(body_, samples);
  const std::string below = subtitle_.empty() ? "" : "<p>" + escape(subtitle_) + "</p>";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{0}</title>"
      "<link rel=\"icon\" href=\"data:,\"><style>{1}</style></head>\n"
      "<body><main><header><h1>{0}</h1>{2}<button id=\"theme\" type=\"button\" hidden "
      "title=\"light or dark\">theme</button></header>\n"
      "{3}{4}{5}</main>{6}<script>{7}</script></body></html>\n",
      escape(title_), style(), below, navigation, body, figures_open_ ? "</div>\n" : "", samples, page_script());
}

void Page::write(const std::filesystem::path& path) const { write_file(path, html()); }

}  // namespace ricochet
