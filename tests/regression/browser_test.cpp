// The pages in a real browser: no error on the console, no figure without a drawing, zoom that works. ./dev test
// installs Chromium, because a page that nobody has opened is not known to work; where it is missing these tests are
// skipped.
#include <regex>

#include "support/program.hpp"

namespace ricochet::test::browser_test {
namespace {

// After the page has loaded: what is drawn in each figure, and what the first of them does under the wheel.
constexpr const char* kProbe = R"html(<script>
addEventListener('load', () => {
  const out = {figures: 0, empty: [], zoomed: 0, changed: false, restored: false, labels: false};
  for (const figure of document.querySelectorAll('figure')) {
    ++out.figures;
    const drawn = [...figure.querySelectorAll('svg svg path, svg svg rect, svg svg circle')].filter(e => {
      const box = e.getBBox();
      return box.width > 0 || box.height > 0;
    });
    if (drawn.length === 0) out.empty.push(figure.querySelector('svg')?.getAttribute('aria-label') ?? '?');
  }
  const zooms = [...document.querySelectorAll('svg[data-zoom]')];
  out.zoomed = zooms.length;
  if (zooms.length > 0) {
    const state = () => zooms.map(s => s.innerHTML).join('');
    const before = state(), box = zooms[0].getBoundingClientRect();
    const where = {clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, cancelable: true};
    const labels = () => zooms[0].querySelector('.lx').textContent;
    const first = labels();
    for (let k = 0; k < 5; ++k) zooms[0].dispatchEvent(new WheelEvent('wheel', {...where, ctrlKey: true, deltaY: -200}));
    out.changed = state() !== before;
    out.labels = labels() !== first && labels().length > 0;
    out.dots = document.querySelectorAll('svg path[stroke-linecap=round]').length > 0;
    zooms[0].dispatchEvent(new MouseEvent('dblclick', where));
    out.restored = state() === before;
    // Pointed at: a line through every figure over time, and the numbers of this one.
    zooms[0].dispatchEvent(new PointerEvent('pointermove', where));
    out.cursors = document.querySelectorAll('svg .cursor').length === zooms.length;
    out.read = document.querySelectorAll('.readout div').length - 1;
    zooms[0].dispatchEvent(new PointerEvent('pointerleave', where));
    out.unread = document.querySelector('.readout, svg .cursor') === null;
    const key = zooms[0].querySelector('.key');
    if (key) {
      const line = zooms[0].querySelector('.series'), seen = () => getComputedStyle(line).display !== 'none';
      key.dispatchEvent(new MouseEvent('click', {bubbles: true}));
      const hidden = !seen();
      key.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
      out.toggles = hidden && seen();
    }
  }
  // What a reader who does not see, or sees badly, depends on.
  out.scopes = [...document.querySelectorAll('th')].every(e => e.scope);
  out.described = [...document.querySelectorAll('figure > svg')].every(e => e.querySelector('desc') && e.getAttribute('aria-label'));
  out.order = [...document.querySelectorAll('[tabindex]')].every(e => e.tabIndex === 0);
  out.wide = document.documentElement.scrollWidth > innerWidth;
  const luminance = colour => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const under = e => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
  out.contrast = 99;
  for (const theme of ['light', 'dark']) {
    document.documentElement.dataset.theme = theme;
    for (const e of document.querySelectorAll('h1, h2, p, a, dt, dd, th, td, figcaption, .note, pre, summary, button'))
      out.contrast = Math.min(out.contrast, contrast(getComputedStyle(e).color, under(e)));
    for (const e of document.querySelectorAll('figure svg text'))
      out.contrast = Math.min(out.contrast, contrast(getComputedStyle(e).fill, under(e)));
  }
  out.contrast = out.contrast >= 4.5 ? 'good' : out.contrast;
  document.body.innerHTML = '<pre id="outcome">' + JSON.stringify(out) + '</pre>';
});
</script>)html";

class Browser : public ProgramTest {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no chromium on this machine";
  }

  /// The numbers that the probe reports of the page.
  std::string look(const std::string& page) {
    std::string html = file(page);
    const std::size_t end = html.rfind("</body>");
    if (end == std::string::npos) return "no page";
    html.insert(end, kProbe);
    std::ofstream(folder_ / "probed.html") << html;
    const Outcome o = shell(
        "HOME=. timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir=profile "
        "--window-size=1280,1000 "
        "--virtual-time-budget=3000 --enable-logging=stderr --dump-dom 'file://" +
        (folder_ / "probed.html").string() + "'");
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err.find(":CONSOLE"), std::string::npos) << o.err;
    std::smatch found;
    if (!std::regex_search(o.out, found, std::regex("<pre id=\"outcome\">([^<]*)</pre>"))) {
      ADD_FAILURE() << "the script did not come to its end\n" << o.err;
      return "";
    }
    return found[1];
  }

  /// What every page owes its readers.
  static void expect_readable(const std::string& out) {
    for (const char* part : {"\"scopes\":true", "\"described\":true", "\"order\":true", "\"wide\":false",
                             "\"contrast\":\"good\"", "\"empty\":[]"})
      EXPECT_TRUE(holds(out, part)) << part << " " << out;
  }

  /// The gallery of some entries; none: of all that are fast.
  void expect_gallery(const std::string& entries, int status, const std::vector<std::string>& documents) {
    const Outcome o = ricochet("reproduce " + entries + " --fast -o gallery");
    ASSERT_EQ(o.status, status) << o.out << o.err;
    expect_readable(look("gallery/index.html"));
    for (const std::string& document : documents) {
      const std::string out = look("gallery/" + document + ".html");
      EXPECT_FALSE(holds(out, "\"figures\":0")) << document << out;
      expect_readable(out);
    }
  }

  static bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(Browser, ReportOfAResult) {
  ASSERT_EQ(ricochet("run slider-crank --step 5e-5 --until 0.1 -o r.h5 --report r.html").status, 0);
  const std::string out = look("r.html");
  EXPECT_TRUE(holds(out, "\"figures\":11")) << out;  // no joints
  EXPECT_TRUE(holds(out, "\"empty\":[]")) << out;
  EXPECT_TRUE(holds(out, "\"zoomed\":8")) << out;
  EXPECT_TRUE(holds(out, "\"changed\":true")) << out;
  EXPECT_TRUE(holds(out, "\"labels\":true")) << out;
  EXPECT_TRUE(holds(out, "\"restored\":true")) << out;
  for (const char* part : {"\"dots\":true", "\"cursors\":true", "\"read\":3", "\"unread\":true", "\"toggles\":true"})
    EXPECT_TRUE(holds(out, part)) << part << " " << out;
  expect_readable(out);
}

TEST_F(Browser, GalleryOfOneFigure) { expect_gallery("bruls-2014/fig-9", 0, {"bruls-2014"}); }

TEST_F(Browser, LongGallery) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the whole gallery takes minutes with the sanitizers";
#endif
  expect_gallery(
      "", 3,
      {"acary-2012", "acary-2014", "acary-2018", "bruls-2014", "cosimo-2020"});  // docs/gallery.md says what fails
}

TEST_F(Browser, StudyAndComparison) {
  ASSERT_EQ(
      ricochet("study bouncing-ball --schemes moreau-jean,combined --steps 0.04..0.004 --count 6 -o s.html").status, 0);
  ASSERT_EQ(ricochet("compare bouncing-pendulum --schemes moreau-jean,nonsmooth-alpha --until 1.5 -o c.html").status,
            0);
  for (const char* page : {"s.html", "c.html"}) {
    const std::string out = look(page);
    EXPECT_FALSE(holds(out, "\"figures\":0")) << out;
    expect_readable(out);
  }
}

}  // namespace
}  // namespace ricochet::test::browser_test
