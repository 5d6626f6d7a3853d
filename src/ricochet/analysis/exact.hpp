#pragma once
// Motions known in closed form.
#include <vector>

namespace ricochet {

/// One coordinate above a stop,
///
///   y'' + 2 zeta y' + w2 y = a,      y >= 0,      y'+ = -e y'-  where y = 0 and y'- < 0.
///
/// Balls (zeta = w2 = 0) and oscillators. Between impacts, s seconds after (y0, v0),
///
///   y = y0 (1 - w2 D) + v0 E + a D,      v = v0 E' + (a - w2 y0) E,
///
/// where E'' + 2 zeta E' + w2 E = 0, E(0) = 0, E'(0) = 1, and D = int_0^s E. Impacts are roots of y, found to
/// round-off. Where they accumulate, with a < 0 and e < 1, the mass rests from the end of the geometric series on.
class ExactStop {
 public:
  struct Parameters {
    double a = -1;    ///< acceleration at y = 0, v = 0
    double zeta = 0;  ///< damping
    double w2 = 0;    ///< stiffness over mass
    double e = 0;     ///< restitution
    double y0 = 1, v0 = 0, t0 = 0;
  };
  struct Impact {
    double t = 0, before = 0, after = 0;  ///< normal velocities
  };

  /// The motion up to `until`.
  ExactStop(const Parameters& p, double until);
  double y(double t) const { return at(t).first; }
  double v(double t) const { return at(t).second; }  ///< right limit
  const std::vector<Impact>& impacts() const { return impacts_; }
  double rest_time() const { return rest_; }  ///< from when on it rests on the stop; infinite: not up to `until`

 private:
  struct Flight {
    double t, y, v;
  };
  struct Basis {
    double D, E, dE;
  };
  std::pair<double, double> at(double t) const;
  std::pair<double, double> in_flight(const Flight& f, double s) const;
  Basis basis(double s) const;
  double next_impact(const Flight& f, double longest) const;
  void advance(double until);
  double longest_scan() const;

  Parameters p_;
  std::vector<Flight> flights_;
  std::vector<Impact> impacts_;
  double rest_;
};

/// A continuous elastic bar of free motion v0 < 0 hits a rigid wall with its end x = 0 (acary-2012, section 6.2;
/// bruls-2014, section 10.3): it stays for 2 L/c, c = sqrt(E/rho), under the constant force E S |v0|/c, and leaves with
/// -v0.
class ExactBar {
 public:
  struct Parameters {
    double length = 1, section = 1, young = 1, density = 1;
    double gap = 0;  ///< between the end and the wall at t = 0
    double v0 = -1;
  };
  explicit ExactBar(const Parameters& p);
  double touch_time() const { return t1_; }
  double contact_time() const { return 2 * p_.length / c_; }
  double u(double x, double t) const;  ///< displacement of the point that is at x in the relaxed bar
  double v(double x, double t) const;  ///< its velocity, right limit
  double force(double t) const;        ///< of the wall

 private:
  Parameters p_;
  double c_, t1_;
};

}  // namespace ricochet
