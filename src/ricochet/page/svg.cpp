#include "ricochet/page/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "ricochet/math/elementary.hpp"

namespace ricochet::svg {
namespace {

constexpr double kFont = 13;
constexpr const char* kInk = "#1f2933";
constexpr const char* kSoft = "#52606d";
// Labels within the data stand on a rim of white.
constexpr const char* kHalo = " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"";

// Of Okabe and Ito, ordered so that neighbours differ in lightness too; the yellow is left out, it vanishes on white.
constexpr std::array<const char*, 8> kPalette = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                 "#56B4E9", "#E69F00", "#332288", "#6b7280"};

double text_width(std::string_view text, double size = kFont) {
  const auto characters =
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return 0.56 * size * static_cast<double>(characters);
}

// One decimal of a pixel, without needless zeros.
std::string px(double x) {
  std::string out = fmt::format("{:.1f}", std::clamp(x, -1e5, 1e5));
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

struct Extent {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();
  void add(double x, bool log) {
    if (!(std::abs(x) < 1e300) || (log && x <= 0)) return;  // beyond, the width of the plot would overflow
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  }
};

// A little air around the data; none where a bound is given, and bars begin at zero.
void finish(Extent& e, const Axis& axis, double air) {
  if (e.lo > e.hi) e = axis.log ? Extent{1, 10} : Extent{0, 1};
  if (axis.log) {
    const double factor = e.lo == e.hi ? 3 : elementary::pow(e.hi / e.lo, air);
    e.lo /= factor;
    e.hi *= factor;
  } else {
    const double size = std::max({std::abs(e.lo), std::abs(e.hi), 1e-300});
    const double width = e.hi - e.lo;
    // Below round-off there is nothing to see; a line in the middle says so.
    const double margin = width > 1e-13 * size ? air * width : (e.lo == 0 && e.hi == 0 ? 1 : 0.1 * size);
    e.lo -= margin;
    e.hi += margin;
  }
  if (std::isfinite(axis.min)) e.lo = axis.min;
  if (std::isfinite(axis.max)) e.hi = axis.max;
  if (!(e.lo < e.hi)) e.hi = e.lo + (e.lo == 0 ? 1 : std::abs(e.lo));
}

struct Scale {
  bool log = false;
  double lo = 0, hi = 1;    // data
  double from = 0, to = 1;  // pixels
  double operator()(double x) const {
    const double s = log ? (elementary::log(x) - elementary::log(lo)) / (elementary::log(hi) - elementary::log(lo))
                         : (x - lo) / (hi - lo);
    return from + s * (to - from);
  }
  bool shows(double x) const { return std::isfinite(x) && (!log || x > 0); }
};

class Figure {
 public:
  explicit Figure(const Plot& plot) : plot_(plot) {}

  std::string text() {
    if (plot_.stacked) stack();
    extents();
    layout();
    frame();
    if (!plot_.boxes.empty()) boxes();
    if (plot_.stacked)
      areas();
    else
      lines();
    rules();
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
               "role=\"img\" aria-label=\"{2}\" font-family=\"system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu "
               "Sans',sans-serif\" font-size=\"{3}\" fill=\"{4}\" style=\"max-width:100%;height:auto\"{5}>"
               "<desc>{6}</desc><rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>",
               plot_.width, plot_.height, escape(plot_.title), kFont, kInk, zoom_attributes(), escape(description())) +
           out_ + "</svg>\n";
  }

 private:
  static std::string axis_label(const Axis& axis) {
    if (axis.unit.empty()) return axis.label;
    return axis.label.empty() ? "[" + axis.unit + "]" : axis.label + " [" + axis.unit + "]";
  }

  // For those who do not see the figure: its axes, its lines and their ranges.
  std::string description() const {
    const std::string y = axis_label(plot_.y), x = axis_label(plot_.x);
    std::string out = y.empty() ? "" : y + " over " + x + ". ";
    for (const Series& s : plot_.series) {
      if (s.name.empty() || s.x.empty()) continue;
      const Extent e = range(s);
      if (e.lo <= e.hi) out += fmt::format("{}: {:.4g} to {:.4g}. ", s.name, e.lo, e.hi);
    }
    return out;
  }

  // What the script of a Page needs to know of the axes: values and pixels of their ends, whether y may be rescaled,
  // and whether it is logarithmic.
  std::string zoom_attributes() const {
    if (!plot_.zoom || x_.log) return {};
    return fmt::format(
        " data-zoom=\"{:.17g} {:.17g} {} {} {:.17g} {:.17g} {} {} {} {}\" data-axis=\"{}\" data-unit=\"{}\"", x_.lo,
        x_.hi, px(x_.from), px(x_.to), y_.lo, y_.hi, px(y_.from), px(y_.to), y_.log || !plot_.y.names.empty() ? 0 : 1,
        y_.log ? 1 : 0, escape(axis_label(plot_.x)), escape(plot_.y.unit));
  }

  // Places along the axes, 0 to 1, sample by sample.
  std::string zoom_data(std::span<const double> x, std::span<const double> y) const {
    if (!plot_.zoom || x_.log) return {};
    const auto places = [](const Scale& s, std::span<const double> values) {
      std::vector<double> out;
      for (const double value : values)
        out.push_back(s.shows(value) ? (s(value) - s.from) / (s.to - s.from)
                                     : std::numeric_limits<double>::quiet_NaN());
      return packed(out);
    };
    return fmt::format(" data-x=\"{}\" data-y=\"{}\"", places(x_, x), places(y_, y));
  }
  std::string zoom_height(double y) const {
    return plot_.zoom ? fmt::format(" data-h=\"{:.9g}\"", (y - y_.from) / (y_.to - y_.from)) : "";
  }

  std::string colour_of(std::size_t k) const {
    return plot_.series[k].colour.empty() ? colour(k) : escape(plot_.series[k].colour);
  }

  // Boundaries of the areas: each sample has a sum upwards and one downwards.
  void stack() {
    if (plot_.series.empty()) return;
    const std::vector<double>& x = plot_.series[0].x;
    std::size_t n = x.size();
    for (const Series& s : plot_.series) n = std::min({n, s.y.size(), s.x.size()});
    std::vector<double> total(n, 0);
    for (const Series& s : plot_.series)
      for (std::size_t i = 0; i < n; ++i) total[i] += std::abs(s.y[i]);
    kept_ = decimate(std::span(x).first(n), total);
    thinned_ = kept_.size() < n;
    std::vector<double> up(kept_.size(), 0), down(kept_.size(), 0);
    for (const Series& s : plot_.series) {
      std::vector<double> from(kept_.size()), to(kept_.size());
      for (std::size_t j = 0; j < kept_.size(); ++j) {
        const double y = std::isfinite(s.y[kept_[j]]) ? s.y[kept_[j]] : 0;
        double& sum = y >= 0 ? up[j] : down[j];
        from[j] = sum;
        to[j] = sum += y;
      }
      lower_.push_back(std::move(from));
      upper_.push_back(std::move(to));
    }
  }

  void extents() {
    Extent x, y;
    if (plot_.stacked) {
      y.add(0, plot_.y.log);
      for (const auto& edge : upper_)
        for (const double value : edge) y.add(value, plot_.y.log);
      for (const std::size_t i : kept_) x.add(plot_.series[0].x[i], plot_.x.log);
    } else {
      for (const Series& s : plot_.series) {
        for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
          if (!std::isfinite(s.y[i]) || (plot_.y.log && s.y[i] <= 0)) continue;
          x.add(s.x[i], plot_.x.log);
          y.add(s.y[i], plot_.y.log);
        }
      }
    }
    for (const Box& box : plot_.boxes) {
      for (const double at : {box.x0, box.x1}) x.add(at, plot_.x.log);
      for (const double at : {box.y0, box.y1}) y.add(at, plot_.y.log);
    }
    for (const Rule& rule : plot_.rules) (rule.vertical ? x : y).add(rule.at, (rule.vertical ? plot_.x : plot_.y).log);
    const bool markers = std::any_of(plot_.series.begin(), plot_.series.end(), [](const Series& s) {
      return s.style == Style::points || s.style == Style::line_points;
    });
    finish(x, plot_.x, markers || plot_.equal_scales ? 0.05 : 0);
    finish(y, plot_.y, 0.06);
    x_ = {plot_.x.log, x.lo, x.hi, 0, 1};
    y_ = {plot_.y.log, y.lo, y.hi, 0, 1};
  }

  struct Label {
    std::size_t series;
    double x, y;
  };

  // Top to bottom: title, legend (in as many lines as it needs), the frame, tick labels, the name of the x axis.
  void layout() {
    double top = 10;
    if (!plot_.title.empty()) top += kFont + 9;
    const double title_bottom = top;
    double right = plot_.width - 18.0;
    double x = 0, line = 0;
    std::vector<Label> labels;
    for (std::size_t k = 0; k < plot_.series.size(); ++k) {
      if (plot_.series[k].name.empty()) continue;
      const double size = 30 + text_width(plot_.series[k].name) + 18;
      if (x > 0 && x + size > plot_.width - 90.0) {
        x = 0;
        line += 19;
      }
      labels.push_back({k, x, line});
      x += size;
    }
    // A single series is named by the title and the axis; a colour of boxes is not.
    if (labels.size() > 1 || (labels.size() == 1 && (plot_.title.empty() || plot_.series[labels[0].series].x.empty())))
      top += line + 21;
    else
      labels.clear();

    const double bottom = plot_.height - (axis_label(plot_.x).empty() ? 30 : 48);
    const int about_y = std::max(2, static_cast<int>((bottom - top) / 36));
    y_ticks_ = !plot_.y.names.empty() ? named_ticks(plot_.y)
               : y_.log               ? log_ticks(y_.lo, y_.hi, about_y)
                                      : linear_ticks(y_.lo, y_.hi, about_y);
    if (!y_ticks_.note.empty()) top += 14;
    double widest = 0;
    for (const std::string& label : y_ticks_.labels) widest = std::max(widest, text_width(label));
    const double left = 14 + widest + (axis_label(plot_.y).empty() ? 0 : 24);
    x_.from = left, x_.to = right;
    y_.from = bottom, y_.to = top;
    if (!plot_.y.names.empty()) std::swap(y_.from, y_.to);
    if (plot_.equal_scales) equalise();
    const double width = x_.to - x_.from;
    x_ticks_ = !plot_.x.names.empty() ? named_ticks(plot_.x)
               : x_.log               ? log_ticks(x_.lo, x_.hi, std::max(2, static_cast<int>(width / 55)))
                                      : linear_ticks(x_.lo, x_.hi, std::max(2, static_cast<int>(width / 75)));
    // The last label must not be cut off.
    if (!x_ticks_.labels.empty()) x_.to = std::min(x_.to, plot_.width - 6 - text_width(x_ticks_.labels.back()) / 2);

    if (!plot_.title.empty())
      out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"15\" font-weight=\"600\">{}</text>", px(left),
                          px(10 + kFont), escape(plot_.title));
    for (const Label& label : labels) legend(label, left, title_bottom);
  }

  static Ticks named_ticks(const Axis& axis) {
    Ticks out;
    for (std::size_t k = 0; k < axis.names.size(); ++k) {
      out.at.push_back(static_cast<double>(k));
      out.labels.push_back(escape(axis.names[k]));
    }
    return out;
  }

  // The lower edge of the frame, whichever way the y axis goes.
  double floor() const { return std::max(y_.from, y_.to); }
  double ceiling() const { return std::min(y_.from, y_.to); }

  void legend(const Label& label, double left, double top) {
    const Series& s = plot_.series[label.series];
    const std::string paint = colour_of(label.series);
    const double x = left + label.x;
    const double y = top + label.y + 9;
    // A key hides its line; colours of boxes name no line.
    out_ += s.x.empty() ? "<g>"
                        : fmt::format(
                              "<g class=\"key\" data-name=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" "
                              "height=\"18\" fill-opacity=\"0\"/>",
                              escape(s.name), px(x - 2), px(y - 9), px(34 + text_width(s.name)));
    if (plot_.stacked || s.x.empty())
      out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"11\" fill=\"{}\" fill-opacity=\".75\"/>",
                          px(x), px(y - 6), paint);
    else if (s.style != Style::points)
      out_ += fmt::format("<path d=\"M{} {}h22\" stroke=\"{}\" stroke-width=\"2.2\"{}/>", px(x), px(y), paint,
                          dash(label.series));
    if (!plot_.stacked && (s.style == Style::points || s.style == Style::line_points))
      out_ += marker(label.series, x + 11, y, paint);
    out_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text></g>", px(x + 28), px(y + 4.5), escape(s.name));
  }

  void equalise() {
    const double x_density = (x_.to - x_.from) / (x_.hi - x_.lo);
    const double y_density = (y_.from - y_.to) / (y_.hi - y_.lo);
    Scale& wide = x_density > y_density ? x_ : y_;
    const double missing = (wide.hi - wide.lo) * (std::max(x_density, y_density) / std::min(x_density, y_density) - 1);
    wide.lo -= missing / 2;
    wide.hi += missing / 2;
  }

  std::string dash(std::size_t k) const {
    const bool again = plot_.series[k].colour.empty() && k >= kPalette.size();  // the palette comes round: tell apart
    return plot_.series[k].dashed || again ? " stroke-dasharray=\"6 4\"" : "";
  }

  // Shapes differ besides colours.
  static std::string marker(std::size_t k, double x, double y, const std::string& paint) {
    const std::string common = fmt::format(" fill=\"{}\" stroke=\"#fff\" stroke-width=\".8\"/>", paint);
    switch (k % 4) {
      case 0: return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\"", px(x), px(y)) + common;
      case 1: return fmt::format("<path d=\"M{} {}h7.4v7.4h-7.4z\"", px(x - 3.7), px(y - 3.7)) + common;
      case 2: return fmt::format("<path d=\"M{} {}l4.8 8.4h-9.6z\"", px(x), px(y - 5.4)) + common;
      default: return fmt::format("<path d=\"M{} {}l4.8 4.8l-4.8 4.8l-4.8 -4.8z\"", px(x), px(y - 4.8)) + common;
    }
  }

  void frame() {
    std::string across, upright, minor;
    for (const double at : y_ticks_.at) across += fmt::format("M{} {}H{}", px(x_.from), px(y_(at)), px(x_.to));
    for (const double at : x_ticks_.at) upright += fmt::format("M{} {}V{}", px(x_(at)), px(y_.from), px(y_.to));
    for (const double at : y_ticks_.minor) minor += fmt::format("M{} {}H{}", px(x_.from), px(y_(at)), px(x_.to));
    for (const double at : x_ticks_.minor) minor += fmt::format("M{} {}V{}", px(x_(at)), px(y_.from), px(y_.to));
    if (!minor.empty()) out_ += fmt::format("<path d=\"{}\" stroke=\"#f1f4f7\" fill=\"none\"/>", minor);
    out_ += fmt::format(
        "<path class=\"gy\" d=\"{}\" stroke=\"#e1e7ec\" fill=\"none\"/>"
        "<path class=\"gx\" d=\"{}\" stroke=\"#e1e7ec\" fill=\"none\"/>",
        across, upright);
    if (!y_.log && y_.lo < 0 && y_.hi > 0 && plot_.y.names.empty())
      out_ += fmt::format("<path d=\"M{} {}H{}\" stroke=\"#9aa5b1\" fill=\"none\"{}/>", px(x_.from), px(y_(0)),
                          px(x_.to), zoom_height(y_(0)));
    out_ += fmt::format("<path d=\"M{} {}V{}H{}\" stroke=\"{}\" fill=\"none\"/>", px(x_.from), px(ceiling()),
                        px(floor()), px(x_.to), kSoft);
    std::string labels;
    for (std::size_t i = 0; i < y_ticks_.at.size(); ++i)
      labels += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", px(x_.from - 7),
                            px(y_(y_ticks_.at[i]) + 4.5), y_ticks_.labels[i]);
    labels += "</g><g class=\"lx\">";
    for (std::size_t i = 0; i < x_ticks_.at.size(); ++i)
      labels += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", px(x_(x_ticks_.at[i])),
                            px(floor() + 18), x_ticks_.labels[i]);
    if (!x_ticks_.note.empty())
      labels += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", px(x_.to),
                            px(floor() + (axis_label(plot_.x).empty() ? 28 : 36)), x_ticks_.note);
    labels += "</g>";
    if (!y_ticks_.note.empty())
      labels += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", px(x_.from), px(y_.to - 6), y_ticks_.note);
    out_ += fmt::format("<g fill=\"{}\" font-size=\"12\"><g class=\"ly\">{}</g>", kSoft, labels);
    const std::string x_name = axis_label(plot_.x);
    const std::string y_name = axis_label(plot_.y);
    if (!x_name.empty())
      out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", px((x_.from + x_.to) / 2),
                          px(floor() + 38), escape(x_name));
    if (!y_name.empty())
      out_ += fmt::format("<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                          px((y_.from + y_.to) / 2), escape(y_name));
  }

  void rules() {
    for (const Rule& rule : plot_.rules) {
      const Scale& scale = rule.vertical ? x_ : y_;
      if (!scale.shows(rule.at) || rule.at < scale.lo || rule.at > scale.hi) continue;
      const double at = scale(rule.at);
      const std::string d = rule.vertical ? fmt::format("M{} {}V{}", px(at), px(y_.from), px(y_.to))
                                          : fmt::format("M{} {}H{}", px(x_.from), px(at), px(x_.to));
      out_ += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-dasharray=\"2 3\" fill=\"none\"{}/>", d, kSoft,
                          rule.vertical ? "" : zoom_height(at));
      if (rule.label.empty()) continue;
      if (rule.vertical)
        out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11.5\" fill=\"{}\"{}>{}</text>", px(at + 4),
                            px(y_.to + 12), kInk, kHalo, escape(rule.label));
      else
        out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11.5\" fill=\"{}\" text-anchor=\"end\"{}>{}</text>",
                            px(x_.to - 4), px(at - 4), kInk, kHalo, escape(rule.label));
    }
  }

  // Everything drawn from data is cut at the frame.
  std::string clip_open() const {
    static constexpr double kRim = 1.5;
    return fmt::format(
        "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\" overflow=\"hidden\">",
        px(x_.from - kRim), px(ceiling() - kRim), px(x_.to - x_.from + 2 * kRim), px(floor() - ceiling() + 2 * kRim));
  }

  static Extent range(const Series& s) {
    Extent out;
    for (const double y : s.y) out.add(y, false);
    return out;
  }

  std::string tooltip(const Series& s) const {
    if (!plot_.tooltips) return {};
    const Extent e = range(s);
    if (e.lo > e.hi) return fmt::format("<title>{}</title>", escape(s.name));
    return fmt::format("<title>{}: {:.6g} to {:.6g} {}</title>", escape(s.name), e.lo, e.hi, escape(plot_.y.unit));
  }

  std::string path(const Series& s, const std::vector<std::size_t>& kept) const {
    std::string d;
    bool pen = false;
    std::string last_x, last_y;
    for (const std::size_t i : kept) {
      if (!x_.shows(s.x[i]) || !y_.shows(s.y[i])) {
        pen = false;
        continue;
      }
      const std::string x = px(x_(s.x[i]));
      const std::string y = px(y_(s.y[i]));
      if (pen && x == last_x && y == last_y) continue;
      if (!pen)
        d += fmt::format("M{} {}", x, y);
      else if (s.style == Style::step)
        d += fmt::format("H{}V{}", x, y);
      else
        d += fmt::format("L{} {}", x, y);
      pen = true;
      last_x = x;
      last_y = y;
    }
    return d;
  }

  void boxes() {
    out_ += clip_open();
    for (const Box& box : plot_.boxes) {
      const double left = x_(box.x0), right = x_(box.x1), top = std::min(y_(box.y0), y_(box.y1));
      const std::string places =
          plot_.zoom ? fmt::format(" data-x0=\"{:.9g}\" data-x1=\"{:.9g}\"", (left - x_.from) / (x_.to - x_.from),
                                   (right - x_.from) / (x_.to - x_.from))
                     : "";
      out_ +=
          fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"{}/>", px(left), px(top),
                      std::max(right - left, 0.25), px(std::abs(y_(box.y1) - y_(box.y0))), escape(box.colour), places);
    }
    out_ += "</svg>";
  }

  void lines() {
    out_ += clip_open();
    for (std::size_t k = 0; k < plot_.series.size(); ++k) {
      const Series& s = plot_.series[k];
      if (s.x.empty()) continue;
      const std::vector<std::size_t> kept = decimate(s.x, s.y);
      out_ += fmt::format("<g class=\"series\" data-name=\"{}\">{}", escape(s.name), tooltip(s));
      if (s.style != Style::points)
        out_ += fmt::format(
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.7\" stroke-linejoin=\"round\"{}{}{}/>",
            path(s, kept), colour_of(k), dash(k), line_data(s), s.style == Style::step ? " data-step=\"1\"" : "");
      if (s.style == Style::points || s.style == Style::line_points)
        for (const std::size_t i : kept)
          if (x_.shows(s.x[i]) && y_.shows(s.y[i])) out_ += marker(k, x_(s.x[i]), y_(s.y[i]), colour_of(k));
      out_ += "</g>";
    }
    out_ += "</svg>";
  }

  // All samples, as far as a page can carry them: zoomed in, single steps are seen.
  std::string line_data(const Series& s) const {
    if (!plot_.zoom || x_.log) return {};
    constexpr std::size_t kZoomSamples = 24000;
    const std::size_t n = std::min(s.x.size(), s.y.size());
    if (n <= kZoomSamples) return zoom_data(std::span(s.x).first(n), std::span(s.y).first(n));
    std::vector<double> x, y;
    for (const std::size_t i : decimate(s.x, s.y, kZoomSamples)) x.push_back(s.x[i]), y.push_back(s.y[i]);
    return zoom_data(x, y) + fmt::format(" data-thinned=\"{}\"", n);
  }

  void areas() {
    out_ += clip_open();
    for (std::size_t k = 0; k < plot_.series.size(); ++k) {
      const Series& s = plot_.series[k];
      std::string d, back;
      std::vector<double> around_x, around_y;
      for (std::size_t j = 0; j < kept_.size(); ++j) {
        const std::string x = px(x_(plot_.series[0].x[kept_[j]]));
        d += fmt::format("{}{} {}", j == 0 ? "M" : "L", x, px(y_(upper_[k][j])));
        back = fmt::format("L{} {}", x, px(y_(lower_[k][j]))) + back;
      }
      for (std::size_t j = 0; j < 2 * kept_.size(); ++j) {
        const std::size_t i = j < kept_.size() ? j : 2 * kept_.size() - 1 - j;
        around_x.push_back(plot_.series[0].x[kept_[i]]);
        around_y.push_back((j < kept_.size() ? upper_ : lower_)[k][i]);
      }
      out_ += fmt::format(
          "<g class=\"series\" data-name=\"{}\"><path d=\"{}{}z\" fill=\"{}\" fill-opacity=\".75\" stroke=\"#fff\" "
          "stroke-width=\".6\"{}>{}</path></g>",
          escape(s.name), d, back, colour_of(k), plot_.zoom ? zoom_data(around_x, around_y) + " data-closed=\"1\"" : "",
          tooltip(s));
    }
    out_ += "</svg>";
  }

  const Plot& plot_;
  Scale x_, y_;
  Ticks x_ticks_, y_ticks_;
  std::vector<std::size_t> kept_;                   // samples of the stack
  bool thinned_ = false;                            // which are not all
  std::vector<std::vector<double>> lower_, upper_;  // edges of the areas
  std::string out_;
};

}  // namespace

std::string colour(std::size_t k) { return kPalette[k % kPalette.size()]; }

std::string escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        // XML knows no other control characters.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string render(const Plot& plot) { return Figure(plot).text(); }

}  // namespace ricochet::svg
