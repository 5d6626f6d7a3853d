#pragma once
// A part (geometry/brep/part.hpp) as text, with numbers that are read back as they were. One thing a line, words apart
// by blanks, `#` begins a comment; whatever is numbered is numbered from 1 in its order:
//
//   ricochet-brep 1
//   part NAME
//   solid VOLUME  CX CY CZ  JXX JYY JZZ JYZ JZX JXY     centre, and inertia about it at density 1 (m^5)
//   vertex N  X Y Z
//   edge N  FROM TO  V0 V1  CURVE                       vertices at its ends by number; 0: none, of closed edges
//   face N  NAME  out|in  SURFACE                       out: S_u x S_v points out of the material
//   loop                                                of the face before
//   side EDGE +|-  TRACE                                of the loop before; -: the loop runs against the edge
//   end
//
//   CURVE     line O Z | circle AXES A | ellipse AXES A B | spline DEGREE POLES WEIGHTS  KNOT...  POLE...
//   SURFACE   plane AXES | cylinder AXES A | cone AXES A B | sphere AXES A | torus AXES A B | extrusion Z CURVE |
//             revolution O Z CURVE | spline UDEGREE VDEGREE UPOLES VPOLES WEIGHTS  UKNOT...  VKNOT...  POLE...
//   TRACE     line O X | circle O X Y A | ellipse O X Y A B | spline as above, with poles (u, v)
//   AXES      O X Y Z
//
// O, X, Y, Z are three numbers each, in traces two. WEIGHTS is 0 or 1; with 1 a weight stands behind each pole (poles
// are not multiplied with them). Knots are repeated. B of a cone is its half angle in rad.
#include <cstdint>
#include <string>
#include <string_view>

#include "ricochet/geometry/brep/part.hpp"

namespace ricochet {

/// any: edges and faces need not belong together (of tests and benchmarks, which look at one by one).
enum class BrepFit : std::uint8_t { checked, any };

/// InputError with "name:line" if it is none, or one that cannot be: edges end at their vertices, sides lie on their
/// edges, loops are closed.
brep::Part parse_brep(std::string_view text, const std::string& name, BrepFit fit = BrepFit::checked);
brep::Part read_brep(const std::string& path);
std::string brep_text(const brep::Part& part);

}  // namespace ricochet
