// Numbers and gaps of feature pairs.
#include <array>
#include <cmath>

#include "ricochet/geometry/collision/lines.hpp"
#include "ricochet/geometry/collision/lists.hpp"
#include "ricochet/geometry/collision/narrow.hpp"
#include "ricochet/geometry/collision/revolved.hpp"

namespace ricochet {
namespace {

using Kind = FeaturePair::Kind;
constexpr double kGrazing = 1e-3;  ///< sine below which an edge has no crossing with a border

/// Sizes of the kinds, in their order.
std::array<std::array<std::uint32_t, 2>, 10> counts(const Polytope& A, const Polytope& B) {
  const auto n = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  const bool any = A.revolved() || B.revolved();
  const auto curves = [&](const Polytope& p) { return any ? n(p.edges) + 2 * n(p.rims) : 0; };
  const auto marks = [&](const Polytope& p) { return any ? 2 * n(p.edges) + 8 * n(p.rims) : 0; };
  return {{{n(B.vertices), n(A.faces)},
           {n(A.vertices), n(B.faces)},
           {n(A.edges), n(B.edges)},
           {n(B.vertices), 1},
           {n(A.vertices), 1},
           {curves(B), n(A.faces) + 2},
           {curves(A), n(B.faces) + 2},
           {marks(B), n(A.faces) + 2},
           {marks(A), n(B.faces) + 2},
           {any ? 1U : 0U, 1}}};
}

}  // namespace

bool of_A(FeaturePair::Kind kind) {
  switch (kind) {
    case Kind::A_point_on_B_face:
    case Kind::A_point_on_B:
    case Kind::A_curve_on_B:
    case Kind::A_mark_on_B: return true;
    default: return false;
  }
}

bool along_own_face(const FeaturePair& f) {
  return (f.kind == Kind::B_point_on_A_face || f.kind == Kind::A_point_on_B_face) && !f.aim.isZero(0);
}

std::optional<EdgeInFace> edge_in_face(const FeaturePair& f) {
  if (f.kind != Kind::edges || !(f.aim.x() > 1.5)) return {};
  const int code = static_cast<int>(f.aim.x()) - 2;
  return EdgeInFace{code >= 2, code % 2 == 1, f.aim.y(), f.aim.z() != 0};
}

std::uint32_t number_of(const FeaturePair& f, const Polytope& A, const Polytope& B) {
  const auto all = counts(A, B);
  std::uint32_t first = 0;
  const auto kind = static_cast<std::size_t>(f.kind);
  for (std::size_t k = 0; k < kind; ++k) first += all[k][0] * all[k][1];
  return first + static_cast<std::uint32_t>(f.first) * all[kind][1] + static_cast<std::uint32_t>(f.second);
}

FeaturePair feature_of(std::uint32_t number, const Polytope& A, const Polytope& B) {
  const auto all = counts(A, B);
  std::size_t kind = 0;
  while (number >= all[kind][0] * all[kind][1]) {
    number -= all[kind][0] * all[kind][1];
    ++kind;
  }
  return {static_cast<Kind>(kind), static_cast<int>(number / all[kind][1]), static_cast<int>(number % all[kind][1])};
}

bool can_number(const Polytope& A, const Polytope& B) {
  std::uint64_t sum = 0;
  for (const auto& [n, m] : counts(A, B)) sum += std::uint64_t{n} * m;
  return sum <= 0x10000;
}

FeatureGap feature_gap(const FeaturePair& f, const Polytope& A, const Placement& a, const Polytope& B,
                       const Placement& b) {
  FeatureGap out;
  const double r = A.radius + B.radius;
  const auto point_on_face = [&](const Polytope& P, const Placement& p, const Vector3d& local, const Polytope& F,
                                 const Placement& at, int face) {
    const Polytope::Face& plane = item(F.faces, face);
    const Vector3d x = p.x + p.R * local;
    out.n = at.R * plane.n;
    out.gap = out.n.dot(x - at.x) - plane.offset - r;
    out.p = x - P.radius * out.n;
  };
  // A corner of P's face with the outward normal aim, under the face of F: the height of that face over it.
  const auto corner_under_face = [&](const Polytope& P, const Placement& p, const Polytope& F, const Placement& at) {
    const Polytope::Face& plane = item(F.faces, f.second);
    const Vector3d x = p.x + p.R * item(P.vertices, f.first), n = at.R * plane.n, up = p.R * f.aim;
    out.gap = (n.dot(x - at.x) - plane.offset) / -n.dot(up);
    out.n = -up;
    out.p = x + out.gap * up;
  };
  // The point of P's edge over the border of F's face, in P's axes.
  const auto on_edge = [&](const EdgeInFace& lies, const Polytope& P, const Placement& p, const Polytope& F,
                           const Placement& at, int face) {
    const Polytope::Edge &edge = item(P.edges, lies.of_A ? f.second : f.first),
                         &border = item(F.edges, lies.of_A ? f.first : f.second);
    const Vector3d &start = item(P.vertices, edge.a), d = item(P.vertices, edge.b) - start;
    double t = lies.t;
    if (!lies.fixed) {
      const Vector3d &from = item(F.vertices, border.a), e = item(F.vertices, border.b) - from;
      const Vector3d across = item(F.faces, face).n.cross(e);  // in F's axes, as all here
      const Vector3d along = at.R.transpose() * (p.R * d), x = at.R.transpose() * (p.x + p.R * start - at.x);
      const double sine = across.dot(along);
      if (std::abs(sine) > kGrazing * e.norm() * d.norm()) t = across.dot(from - x) / sine;
    }
    return Vector3d(start + t * d);
  };
  const auto point_on_shape = [&](const Polytope& P, const Placement& p, const Polytope& S, const Placement& at) {
    const Vector3d x = p.x + p.R * item(P.vertices, f.first);
    const Distance d = distance(S, at.R.transpose() * (x - at.x));
    out.n = at.R * d.gradient;
    out.gap = d.f - r;
    out.p = x - P.radius * out.n;
  };
  const auto on_curve = [&](const Polytope& X, const Placement& x, const Polytope& Y, const Placement& y, bool mark) {
    const CurveMinimum m = mark ? curve_at(X, x, curve_of_mark(X, f.first), Y, y, f.second, f.aim.x())
                                : curve_minimum(X, x, f.first, Y, y, f.second, f.aim.x());
    out.n = y.R * m.distance.gradient;
    out.gap = m.distance.f - r;
    out.p = y.x + y.R * m.at.x - X.radius * out.n;
  };
  switch (f.kind) {
    case Kind::B_point_on_A_face:
      if (along_own_face(f))
        corner_under_face(B, b, A, a);
      else
        point_on_face(B, b, item(B.vertices, f.first), A, a, f.second);
      break;
    case Kind::A_point_on_B_face:
      if (along_own_face(f))
        corner_under_face(A, a, B, b);
      else
        point_on_face(A, a, item(A.vertices, f.first), B, b, f.second);
      break;
    case Kind::B_point_on_A: point_on_shape(B, b, A, a); break;
    case Kind::A_point_on_B: point_on_shape(A, a, B, b); break;
    case Kind::B_curve_on_A: on_curve(B, b, A, a, false); break;
    case Kind::B_mark_on_A: on_curve(B, b, A, a, true); break;
    case Kind::A_curve_on_B: on_curve(A, a, B, b, false); break;
    case Kind::A_mark_on_B: on_curve(A, a, B, b, true); break;
    case Kind::laterals: {
      Laterals sides;
      out.n = f.aim;
      if (!laterals(A, a, B, b, f.aim, sides)) return out;
      out.n = sides.n;
      out.gap = sides.gap;
      out.p = sides.b + Nearest(sides.a, sides.e, sides.b, sides.d).t * sides.d;
      return out;
    }
    case Kind::edges: {
      if (const auto lies = edge_in_face(f)) {
        const Polytope& F = lies->of_A ? A : B;
        const Polytope::Edge& border = item(F.edges, lies->of_A ? f.first : f.second);
        const int face = lies->left ? border.left : border.right;
        if (lies->of_A) {
          point_on_face(B, b, on_edge(*lies, B, b, A, a, face), A, a, face);
        } else {
          point_on_face(A, a, on_edge(*lies, A, a, B, b, face), B, b, face);
          out.n = -out.n;
        }
        return out;
      }
      const Polytope::Edge &ea = item(A.edges, f.first), &eb = item(B.edges, f.second);
      const Vector3d x = a.x + a.R * item(A.vertices, ea.a), y = b.x + b.R * item(B.vertices, eb.a);
      const Vector3d e = a.R * (item(A.vertices, ea.b) - item(A.vertices, ea.a));
      const Vector3d d = b.R * (item(B.vertices, eb.b) - item(B.vertices, eb.a));
      if (!across(e, d, f.aim, out.n)) out.n = f.aim;
      out.gap = out.n.dot(y - x) - r;
      out.p = y + Nearest(x, e, y, d).t * d - B.radius * out.n;
      return out;
    }
  }
  if (of_A(f.kind)) out.n = -out.n;
  return out;
}

}  // namespace ricochet
