#pragma once
// Forces between subsystems, beside those that a subsystem has of its own: f(t, q, v) on the velocity coordinates of
// the whole model, with a potential or a power, and tangents. A set holds those of one kind.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/model/subsystem.hpp"

namespace ricochet {

class ForceSet {
 public:
  virtual ~ForceSet() = default;

  virtual std::vector<std::string> names() const = 0;
  /// Velocity coordinates, one of each block, that df/dq and df/dv couple.
  virtual void couples(std::vector<std::pair<int, int>>& out) const = 0;
  virtual std::unique_ptr<Scratch> make_scratch() const { return std::make_unique<Scratch>(); }

  /// y -= c f
  virtual void residual(const Point& at, double c, View y, Scratch& scratch) const = 0;
  /// S -= c_K df/dq + c_C df/dv
  virtual void tangents(const Point& at, double c_K, double c_C, Operator& S, Scratch& scratch) const = 0;
  virtual double potential(const Point& at, Scratch& scratch) const = 0;
  virtual Power power(const Point& at, ConstView w, Scratch& scratch) const = 0;
  /// w^T (d^2 V/dq^2) w
  virtual double potential_curvature(const Point& at, ConstView w, Scratch& scratch) const = 0;
};

}  // namespace ricochet
