#include "ricochet/view/scene.hpp"

#include <nlohmann/json.hpp>

namespace ricochet::view {
namespace {

using nlohmann::json;

json vector_json(const Vector3d& x) { return {x.x(), x.y(), x.z()}; }

json points_json(const std::vector<Vector3d>& points) {
  json out = json::array();
  for (const Vector3d& x : points)
    for (const double coordinate : x) out.push_back(coordinate);
  return out;
}

json flexible_json(const Drawing& drawing) {
  json out = json::array();
  for (const ElasticNodes& f : elastic_nodes(drawing))
    out.push_back({{"name", f.name()}, {"reference", points_json(f.reference())}, {"triangles", f.triangles()}});
  for (const BeamReading& beam : drawing.beams)
    out.push_back({{"name", beam.name}, {"reference", points_json(beam.rest)}, {"triangles", json::array()}});
  return out;
}

json shape_json(const DrawnShape& s) {
  json out{{"kind", name(s.kind)}, {"name", s.name}, {"values", s.values}};
  if (s.body >= 0) out["body"] = s.body;
  if (s.other != s.body) out["other"] = s.other;
  if (s.ground) out["ground"] = true;
  if (s.trace) out["trace"] = true;
  if (s.width > 0) out["width"] = s.width;
  if (s.first >= 0) out["first"] = s.first;
  if (s.flexible >= 0) {
    out["flexible"] = s.flexible;
    out["node"] = s.node;
  }
  return out;
}

json events_json(const SceneFacts& facts) {
  json out{{"t", json::array()}, {"kind", json::array()}, {"item", json::array()}, {"names", json::array()}};
  for (std::size_t k = 0; k < kEventKinds; ++k) out["names"].push_back(name(static_cast<EventKind>(k)));
  for (const Mark& m : facts.marks) {
    out["t"].push_back(m.t);
    out["kind"].push_back(m.kind);
    out["item"].push_back(m.item);
  }
  return out;
}

}  // namespace

std::string describe(const Scenario& scenario, const std::vector<Curve>& curves, const SceneFacts& facts) {
  const Drawing& drawing = *scenario.drawing;
  const std::vector<double> mu = friction_of(scenario.model, scenario.initial);
  json out{{"file", facts.file},
           {"name", scenario.name},
           {"description", scenario.description},
           {"scheme", facts.header.scheme},
           {"step", facts.header.step},
           {"status", facts.status},
           {"live", facts.live},
           {"until", facts.header.until},
           {"rows", facts.rows},
           {"frames", facts.frames},
           {"stride", facts.stride},
           {"frames_in_piece", facts.frames_in_piece},
           {"t", facts.t_range},
           {"low", facts.low},
           {"high", facts.high},
           {"largest_impulse", facts.largest_impulse},
           {"largest_reaction", facts.largest_reaction},
           {"largest_stress", facts.largest_stress},
           {"planar", drawing.planar},
           {"e1", vector_json(drawing.e1)},
           {"e2", vector_json(drawing.e2)},
           {"bodies", scenario.model.body_names()},
           {"notes", facts.notes},
           {"text", facts.header.text}};
  const std::vector<bool> turning = turning_items(scenario);
  out["items"] = json::array();
  for (std::size_t i = 0; i < scenario.model.items().size(); ++i) {
    const ConstraintItem& item = scenario.model.items()[i];
    out["items"].push_back({{"name", item.name},
                            {"joint", item.bilateral},
                            {"rubbing", item.velocity_only},
                            {"turns", static_cast<bool>(turning[i])},
                            {"dim", item.dim},
                            {"mu", mu[i]}});
  }
  out["shapes"] = json::array();
  for (const DrawnShape& s : drawing.shapes) out["shapes"].push_back(shape_json(s));
  out["drawn"] = drawing.moving;
  out["flexible"] = flexible_json(drawing);
  out["curves"] = json::array();
  for (const Curve& c : curves)
    out["curves"].push_back({{"name", c.column.name}, {"group", c.group}, {"unit", c.unit}});
  out["events"] = events_json(facts);
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace ricochet::view
