#include "ricochet/gallery/gallery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ricochet/io/error.hpp"
#include "ricochet/page/page.hpp"
#include "ricochet/study/tasks.hpp"

namespace ricochet::gallery {

#define RICOCHET_DOCUMENT(function) Document function();
#include "ricochet/gallery/documents.def"
#undef RICOCHET_DOCUMENT

const std::vector<Document>& documents() {
  static const std::vector<Document> all{
#define RICOCHET_DOCUMENT(function) function(),
#include "ricochet/gallery/documents.def"
#undef RICOCHET_DOCUMENT
  };
  return all;
}

namespace {

// The number next to what it is compared with: four digits tell them apart.
std::string number(double x) { return fmt::format("{:.4g}", x == 0 ? 0.0 : x); }

/// What the document prints, and where.
std::string printed(const Check& c) {
  return c.published ? fmt::format("“{}” ({}; line {})", c.published.text, c.published.place, c.published.line) : "";
}

std::string interval(const Check& c) {
  const Range& r = c.accepted;
  const std::string out = std::isinf(r.low)    ? "at most " + number(r.high)
                          : std::isinf(r.high) ? "at least " + number(r.low)
                                               : number(r.low) + " to " + number(r.high);
  return c.shape ? out + ", shape only" : out;
}

void compute_one(Judged& j) {
  const auto started = std::chrono::steady_clock::now();
  try {
    j.entry->compute(j.outcome);
  } catch (const std::exception& error) {
    j.error = error.what();
  }
  j.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

Page::Tone tone(Verdict v) { return v == Verdict::pass ? Page::Tone::good : Page::Tone::bad; }

std::string file_of(const Document& d) { return d.id + ".html"; }

std::string short_name(const Judged& j) { return j.entry->id.substr(j.document->id.size() + 1); }

// The first figure of an entry, small: lines without words.
std::string thumbnail(const Judged& j) {
  if (j.outcome.figures.empty()) return {};
  svg::Plot plot = j.outcome.figures.front().plot;
  plot.title.clear();
  plot.x.label.clear(), plot.x.unit.clear(), plot.y.label.clear(), plot.y.unit.clear();
  for (svg::Series& s : plot.series) s.name.clear();
  for (svg::Rule& r : plot.rules) r.label.clear();
  plot.zoom = plot.tooltips = false;
  plot.width = 288, plot.height = 162;
  return svg::render(plot);
}

struct Totals {
  std::size_t entries = 0, passed = 0, differing = 0, checks = 0;
  void add(const Judged& j) {
    ++entries;
    checks += j.outcome.checks.size();
    if (j.verdict() == Verdict::pass) ++passed;
    if (!j.outcome.disagreements.empty()) ++differing;
  }
  Page::Tone tone() const { return passed < entries ? Page::Tone::bad : Page::Tone::good; }
  std::string text() const {
    std::string out =
        fmt::format("{} {}, {} checks: {} pass", entries, entries == 1 ? "entry" : "entries", checks, passed);
    if (passed < entries) out += fmt::format(", {} fail", entries - passed);
    if (differing > 0) out += fmt::format("; {} say where the document does not come out", differing);
    return out;
  }
};

void write_document(const Document& d, const std::vector<Judged>& all, const std::filesystem::path& folder) {
  Page page(d.title, "Computed anew by ricochet reproduce " + d.id + ".");
  page.link("index.html", "All documents");
  for (const Judged& j : all) {
    if (j.document != &d) continue;
    page.section(short_name(j), j.entry->title);
    const Verdict verdict = j.verdict();
    page.note(tone(verdict), j.error.empty() ? name(verdict) : fmt::format("{}: {}", name(verdict), j.error));
    std::vector<std::vector<std::string>> rows;
    for (const Check& c : j.outcome.checks)
      rows.push_back({c.holds() ? "pass" : "fail", c.what, printed(c), c.derived, number(c.computed), interval(c),
                      c.reason, fmt::format("{}: {}", c.rival, number(c.rival_computed))});
    if (!rows.empty())
      page.table({"", "what", "published", "derived", "computed", "accepted", "because", "what fails it"}, rows);
    for (const Check& c : j.outcome.checks)
      if (!c.differs.empty()) page.note(Page::Tone::bad, c.what + ": " + c.differs);
    for (const Figure& f : j.outcome.figures) page.figure(svg::render(f.plot), f.caption);
    for (const std::string& text : j.outcome.choices) page.text("Left open by the document: " + text);
    for (const std::string& text : j.outcome.disagreements) page.note(Page::Tone::warning, text);
  }
  page.write(folder / file_of(d));
}

}  // namespace

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return "pass";
    case Verdict::fail: return "fail";
  }
  return "";
}

Verdict Judged::verdict() const {
  const bool good = std::all_of(outcome.checks.begin(), outcome.checks.end(), [](const Check& c) { return c.holds(); });
  return error.empty() && !outcome.checks.empty() && good ? Verdict::pass : Verdict::fail;
}

std::vector<Judged> select(const std::vector<std::string>& words, bool fast_only) {
  std::vector<Judged> out;
  std::vector<std::string> known;
  for (const Document& d : documents()) {
    known.push_back(d.id);
    for (const Entry& e : d.entries) known.push_back(e.id);
  }
  const auto fits = [](const std::string& id, const std::string& word) {
    return id == word || id.starts_with(word + "/");
  };
  for (const std::string& word : words)
    if (std::none_of(known.begin(), known.end(), [&](const std::string& id) { return fits(id, word); }))
      throw InputError("", unknown_word("entry", word, known));
  for (const Document& d : documents())
    for (const Entry& e : d.entries) {
      const bool wanted = words.empty() || std::any_of(words.begin(), words.end(),
                                                       [&](const std::string& word) { return fits(e.id, word); });
      if (!wanted || (fast_only && !e.fast)) continue;
      Judged& j = out.emplace_back();
      j.document = &d;
      j.entry = &e;
    }
  return out;
}

void compute(std::vector<Judged>& all, int threads, const std::function<void(const Judged&)>& done) {
  std::vector<std::atomic<bool>> ready(all.size());
  std::size_t told = 0;
  const auto tell = [&] {
    for (; told < all.size() && ready[told]; ++told) done(all[told]);
  };
  run_tasks({.count = all.size(),
             .threads = std::max(1, threads),
             .task =
                 [&](std::size_t k) {
                   compute_one(all[k]);
                   ready[k] = true;
                 },
             .watch = tell});
  tell();
}

std::string to_text(const Judged& j, bool verbose) {
  std::string out = fmt::format("{:<8}{:<38}{}", name(j.verdict()), j.entry->id, j.entry->title);
  out += "\n";
  if (!j.error.empty()) out += fmt::format("          {}\n", j.error);
  std::string told;  // the same reason once
  for (const Check& c : j.outcome.checks) {
    if (!verbose && c.holds()) continue;
    out += fmt::format("  {:<6}  {}: computed {}; accepted {} ({})\n", c.holds() ? "pass" : "fail", c.what,
                       number(c.computed), interval(c), c.reason);
    if (c.published) out += fmt::format("          published: {}\n", printed(c));
    if (!c.derived.empty()) out += fmt::format("          derived: {}\n", c.derived);
    out += fmt::format("          what fails it: {}, {}\n", c.rival, number(c.rival_computed));
    if (!c.differs.empty())
      out += fmt::format("          why it differs: {}\n", c.differs == told ? "as the last one" : c.differs);
    told = c.differs.empty() ? told : c.differs;
  }
  if (verbose)
    for (const std::string& text : j.outcome.disagreements) out += "          " + text + "\n";
  return out;
}

std::string to_json(const std::vector<Judged>& all) {
  const auto bound = [](double x) { return std::isinf(x) ? nlohmann::ordered_json() : nlohmann::ordered_json(x); };
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Judged& j : all) {
    nlohmann::ordered_json entry{{"id", j.entry->id}, {"title", j.entry->title}, {"verdict", name(j.verdict())}};
    if (!j.error.empty()) entry["error"] = j.error;
    entry["seconds"] = j.seconds;
    entry["checks"] = nlohmann::ordered_json::array();
    for (const Check& c : j.outcome.checks) {
      nlohmann::ordered_json check{{"what", c.what},
                                   {"published", c.published ? nlohmann::ordered_json(c.published.text) : nullptr},
                                   {"place", c.published.place},
                                   {"line", c.published.line},
                                   {"derived", c.derived},
                                   {"computed", c.computed},
                                   {"low", bound(c.accepted.low)},
                                   {"high", bound(c.accepted.high)},
                                   {"reason", c.reason},
                                   {"shape", c.shape},
                                   {"holds", c.holds()},
                                   {"rival", c.rival},
                                   {"rival_computed", c.rival_computed},
                                   {"differs", c.differs}};
      entry["checks"].push_back(check);
    }
    entry["choices"] = j.outcome.choices;
    entry["disagreements"] = j.outcome.disagreements;
    out.push_back(entry);
  }
  return out.dump(2);
}

void write_pages(const std::vector<Judged>& all, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  Page index("Reproduction gallery", "Tables and figures of the documents on which Ricochet is built, computed anew.");
  Totals total;
  for (const Judged& j : all) total.add(j);
  index.note(total.tone(), total.text() + ".");
  for (const Document& d : documents()) {
    Totals of_document;
    std::vector<Page::Card> cards;
    for (const Judged& j : all) {
      if (j.document != &d) continue;
      of_document.add(j);
      cards.push_back({.target = file_of(d) + "#" + short_name(j),
                       .title = short_name(j),
                       .text = j.entry->title,
                       .below = fmt::format("{}, {} check{}, {:.1f} s", name(j.verdict()), j.outcome.checks.size(),
                                            j.outcome.checks.size() == 1 ? "" : "s", j.seconds),
                       .tone = tone(j.verdict()),
                       .picture = thumbnail(j)});
    }
    if (cards.empty()) continue;
    write_document(d, all, folder);
    index.section(d.title, of_document.text() + ".");
    index.link(file_of(d), "Figures and numbers of this document");
    index.cards(cards);
  }
  index.write(folder / "index.html");
}

}  // namespace ricochet::gallery
