#pragma once
// Curves and surfaces of OpenCASCADE as words. Their parameters are those of the text form.
#include <Geom2d_Curve.hxx>
#include <Geom_Curve.hxx>
#include <Geom_Surface.hxx>
#include <gp_XY.hxx>
#include <gp_XYZ.hxx>
#include <string>

namespace ricochet::cad {

/// Fifteen digits: what was drawn in millimetres is not spoilt by its conversion.
std::string text(double x);
std::string text(const gp_XYZ& p);
std::string text(const gp_XY& p);

/// `from` and `to` bound what is used of it. Empty where no word names it.
std::string curve_text(const Handle(Geom_Curve) & curve, double from, double to);
std::string trace_text(const Handle(Geom2d_Curve) & curve, double from, double to);
std::string surface_text(const Handle(Geom_Surface) & surface);

}  // namespace ricochet::cad
