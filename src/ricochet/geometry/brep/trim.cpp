#include "ricochet/geometry/brep/trim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/geometry/brep/evaluate.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::brep {
namespace {

constexpr int kPieces = 64, kColumns = 64;
constexpr double kSeam = 1e-6;  // of an angle: places that are meant to be the same

/// Where a surface is defined; infinite where it has no end.
void natural_box(const Surface& s, Vector2d& low, Vector2d& high) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  low = {0, -kInfinite};
  high = {kTurn, kInfinite};
  if (s.kind == SurfaceKind::plane) low[0] = -kInfinite, high[0] = kInfinite;
  if (s.kind == SurfaceKind::sphere) low[1] = -kTurn / 4, high[1] = kTurn / 4;
  if (s.kind == SurfaceKind::torus) low[1] = 0, high[1] = kTurn;
  const auto along = [&](const Curve& c, int k) {
    low[k] = c.kind == CurveKind::spline ? c.t.first() : c.kind == CurveKind::line ? -kInfinite : 0;
    high[k] = c.kind == CurveKind::spline ? c.t.last() : c.kind == CurveKind::line ? kInfinite : kTurn;
  };
  if (s.kind == SurfaceKind::extrusion) along(s.curve, 0);
  if (s.kind == SurfaceKind::revolution) along(s.curve, 1);
  if (s.kind == SurfaceKind::spline) {
    low = {s.u.first(), s.v.first()};
    high = {s.u.last(), s.v.last()};
  }
}

}  // namespace

Trim::Trim(const Face& face, const std::vector<Edge>& edges) : whole_(face.loops.empty()) {
  const SurfaceKind kind = face.surface.kind;
  const bool round = kind == SurfaceKind::extrusion &&
                     (face.surface.curve.kind == CurveKind::circle || face.surface.curve.kind == CurveKind::ellipse);
  turns_[0] = round || kind == SurfaceKind::cylinder || kind == SurfaceKind::cone || kind == SurfaceKind::sphere ||
              kind == SurfaceKind::torus || kind == SurfaceKind::revolution;
  turns_[1] = kind == SurfaceKind::torus;
  natural_box(face.surface, low_, high_);
  if (whole_) return;
  low_.setConstant(std::numeric_limits<double>::infinity());
  high_ = -low_;
  bool odd = false;  // loops that go round
  for (const Loop& loop : face.loops) {
    const std::size_t first = pieces_.size();
    for (const Side& side : loop) {
      const Edge& e = edges[static_cast<std::size_t>(side.edge)];
      const int n = side.trace.kind == CurveKind::line ? 1 : kPieces;
      const auto at = [&](int k) {
        return side.reversed ? e.to + (e.from - e.to) * k / n : e.from + (e.to - e.from) * k / n;
      };
      const auto close = [&](const Vector2d& to) {
        if (pieces_.size() > first && pieces_.back().b != to) pieces_.push_back({-1, 0, 1, pieces_.back().b, to, 0});
      };
      close(evaluate(side.trace, at(0))[0]);
      for (int k = 0; k < n; ++k) {
        Piece piece{static_cast<int>(traces_.size()),   at(k), at(k + 1), evaluate(side.trace, at(k))[0],
                    evaluate(side.trace, at(k + 1))[0], 0};
        if (n > 1) {
          const Vector2d middle = evaluate(side.trace, (piece.s + piece.t) / 2)[0];
          piece.sag = 4 * (middle - (piece.a + piece.b) / 2).norm();
        }
        low_ = low_.cwiseMin(piece.a);
        high_ = high_.cwiseMax(piece.a);
        pieces_.push_back(piece);
      }
      traces_.push_back(side.trace);
      low_ = low_.cwiseMin(pieces_.back().b);
      high_ = high_.cwiseMax(pieces_.back().b);
    }
    // a loop that goes round the surface needs no seam: a ray along v crosses it
    const Vector2d a = pieces_[first].a, b = pieces_.back().b;
    const bool around = turns_[0] && std::abs(std::abs(a[0] - b[0]) - kTurn) < kSeam;
    if (!around && a != b) pieces_.push_back({-1, 0, 1, b, a, 0});
    if (around) odd = !odd;
  }
  if (odd && kind == SurfaceKind::cone) {  // it goes on to its tip
    const double tip = -face.surface.a / elementary::sin(face.surface.b);
    pieces_.push_back({-1, 0, 1, {low_[0], tip}, {high_[0], tip}, 0});
    low_[1] = std::min(low_[1], tip);
    high_[1] = std::max(high_[1], tip);
  }
  close_seams();
  sort_pieces();
}

void Trim::close_seams() {
  for (const int k : {0, 1}) {
    // all round: one turn from where the box begins
    if (!turns_[static_cast<std::size_t>(k)] || high_[k] - low_[k] < kTurn - kSeam) continue;
    high_[k] = low_[k] + kTurn;
    for (Piece& piece : pieces_)
      for (Vector2d* end : {&piece.a, &piece.b})
        for (const double seam : {low_[k], high_[k]})
          if (std::abs((*end)[k] - seam) < kSeam) (*end)[k] = seam;
  }
  if (!turns_[0]) return;
  for (Piece& piece : pieces_) {
    // no edge goes round there: a point, the end of the surface
    if (piece.trace >= 0 || std::abs(piece.a[0] - piece.b[0]) < kTurn - kSeam) continue;
    const double beyond = piece.a[1] > (low_[1] + high_[1]) / 2 ? 1 : -1;
    piece.a[1] += beyond;
    piece.b[1] += beyond;
  }
}

void Trim::sort_pieces() {
  double last = high_[0];
  first_ = low_[0];
  for (const Piece& piece : pieces_) {
    first_ = std::min({first_, piece.a[0], piece.b[0]});
    last = std::max({last, piece.a[0], piece.b[0]});
  }
  width_ = last > first_ ? (last - first_) / kColumns : 1;
  columns_.assign(kColumns, {});
  for (std::size_t k = 0; k < pieces_.size(); ++k)
    for (const double turn : {0.0, kTurn, -kTurn}) {  // loops may begin anywhere
      if (turn != 0 && !turns_[0]) continue;
      const auto [low, high] = std::minmax({pieces_[k].a[0] - turn, pieces_[k].b[0] - turn});
      const auto column = [&](double u) { return std::floor((u - first_) / width_); };
      // one more on each side, for rounding
      const int from = static_cast<int>(std::max(column(low) - 1, 0.0));
      const int to = static_cast<int>(std::min(column(high) + 1, kColumns - 1.0));
      for (int c = from; c <= to; ++c) columns_[static_cast<std::size_t>(c)].push_back({static_cast<int>(k), turn});
    }
}

Vector2d Trim::nearest_turn(const Vector2d& uv) const {
  Vector2d out = uv;
  for (int k : {0, 1}) {
    if (!turns_[static_cast<std::size_t>(k)]) continue;
    const double middle = (low_[k] + high_[k]) / 2;
    if (high_[k] - low_[k] < kTurn * (1 - 1e-9)) {
      out[k] -= kTurn * std::nearbyint((out[k] - middle) / kTurn);
      continue;
    }
    // all round: what rounding puts beyond the seam is on its other side
    out[k] -= kTurn * std::floor((out[k] - low_[k]) / kTurn);
    if (!(out[k] < high_[k])) out[k] = low_[k];
  }
  return out;
}

bool Trim::crosses_above(const Piece& piece, double u, double v) const {
  if ((piece.a[0] > u) == (piece.b[0] > u)) return false;
  const double s = (u - piece.a[0]) / (piece.b[0] - piece.a[0]);
  const auto [lowest, highest] = std::minmax(piece.a[1], piece.b[1]);
  if (v < lowest - piece.sag || v > highest + piece.sag || piece.trace < 0 || !(piece.sag > 0))
    return piece.a[1] + s * (piece.b[1] - piece.a[1]) > v;
  // on the trace: its u rises or falls throughout the piece, or almost so
  double low = 0, high = 1, x = s;
  const bool rises = piece.b[0] > piece.a[0];
  std::array<Vector2d, 2> p;
  for (int pass = 0; pass < 50; ++pass) {
    p = evaluate(traces_[static_cast<std::size_t>(piece.trace)], piece.s + x * (piece.t - piece.s));
    const double miss = p[0][0] - u, slope = p[1][0] * (piece.t - piece.s);
    ((miss > 0) == rises ? high : low) = x;
    double next = x - miss / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    const bool done = std::abs(next - x) < 1e-14;
    x = next;
    if (done) break;
  }
  return p[0][1] > v;
}

bool Trim::inside(double u, double v) const {
  const Vector2d at = nearest_turn({u, v});
  if (whole_) return (at.array() >= low_.array()).all() && (at.array() <= high_.array()).all();
  bool in = false;
  const double column = std::floor((at[0] - first_) / width_);
  if (!(column >= 0 && column <= kColumns)) return false;
  for (const Entry& e : columns_[static_cast<std::size_t>(std::min(column, kColumns - 1.0))])
    if (crosses_above(pieces_[static_cast<std::size_t>(e.piece)], at[0] + e.turn, at[1])) in = !in;
  return in;
}

}  // namespace ricochet::brep
