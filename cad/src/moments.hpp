#pragma once
// Volume, centre and inertia of what faces enclose, by Gauss's theorem and Green's: integrals along the edges of
// integrals across the faces. The library's own are off by 1e-5 where splines bound a plane, or take seconds.
#include <TopoDS_Shape.hxx>
#include <gp_Mat.hxx>
#include <gp_XYZ.hxx>

namespace ricochet::cad {

struct Moments {
  double volume = 0;
  gp_XYZ centre;
  gp_Mat inertia;  ///< about the centre, of density 1
};

/// Negative where the shell is inside out.
Moments moments(const TopoDS_Shape& solid);

}  // namespace ricochet::cad
