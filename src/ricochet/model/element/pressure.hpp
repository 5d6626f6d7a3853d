#pragma once
// Pressure on faces of solids. With N the shape functions of a face, x its nodes as they stand and xi, eta its
// coordinates, a pressure p pushes node a by
//
//     f_a = -p ∫ N_a (x,xi × x,eta) dxi deta,        df_a/dx_b = -p ∫ N_a (N_b,eta [x,xi]× - N_b,xi [x,eta]×)
//
// [x]× y = x × y: the load follows the faces, in direction and in area. The tangent is symmetric over closed surfaces
// alone. Quadrature is exact: 2 x 2 points for four nodes, one for three, six for six.
#include "ricochet/model/element/mesh.hpp"

namespace ricochet {

inline constexpr int kMostFaceNodes = 6;

/// f += c times the forces of the pressure one on a face; x, f: 3 x nodes.
void add_face_force(int nodes, const double* x, double c, double* f);
/// K += c times their derivatives by x; over the coordinates of the face, column by column.
void add_face_tangent(int nodes, const double* x, double c, double* K);

}  // namespace ricochet
