#pragma once
// The Hausdorff distance between the filled-in graphs of two functions of bounded variation (Moreau 1978; acary-2018
// (44)-(47)), with the metric
//
//   d((t, x), (s, y)) = max(|t - s| / T, |x - y|_2 / X),
//
// T and X being the scales of time and of value: what counts as one unit of error. It is the norm in which velocities
// with jumps converge: an impact that comes one step late moves the graph by one step, however large the jump.
//
// Exact for polylines, up to round-off, vertical segments and vector values included. For one segment b of the other
// graph the distance to b is a convex function along a segment a, because d is a norm. Hence along a piece of a whose
// ends are both nearest to the same b, the distance to the whole graph is largest at one of the ends. Where the ends
// are nearest to different b and b', the piece is cut where d(., b) = d(., b'). If no third segment is nearer there,
// the value at the cut is the largest of the piece; if one is, both parts are treated in the same way. The nearest
// segment comes out of a tree of boxes, and whatever cannot beat the largest value so far is passed over: O(n log n)
// for the graphs that occur.
#include "ricochet/analysis/filled_graph.hpp"

namespace ricochet {

struct HausdorffScales {
  double time = 1;
  double value = 1;
};

struct HausdorffDistance {
  double distance = 0;
  double t = 0;          ///< where the graph that is farthest from the other has that point
  bool of_first = true;  ///< the point is one of the first graph
};

/// Largest distance of a point of `of` from the graph `from` (46).
HausdorffDistance excess(const FilledGraph& of, const FilledGraph& from, const HausdorffScales& scales = {});

/// (47). Throws InputError if a graph is empty, not ordered in time or not finite, dimensions differ or a scale is not
/// positive.
HausdorffDistance hausdorff(const FilledGraph& first, const FilledGraph& second, const HausdorffScales& scales = {});

}  // namespace ricochet
