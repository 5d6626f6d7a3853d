// The block `draw`, and the look of what has none.
#include "ricochet/io/scenario/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/cad.hpp"
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet {

const char* name(DrawnShape::Kind kind) {
  constexpr std::array<const char*, 10> names{"point",   "line",  "circle", "box", "spring",
                                              "contact", "plane", "play",   "bar", "joint"};
  return names[static_cast<std::size_t>(kind)];
}

namespace scenario {
namespace {

using schema::Fields;
using yaml::Node;
using Drawn = DrawnShape::Kind;

/// Reads the block `draw`. Numbers are nodes of a graph until it is known which of them move.
class DrawReader {
 public:
  DrawReader(const Model& model, const Parts& parts, Drawing& out)
      : model_(model), out_(out), bodies_(model.body_names()), constants_(parts.numbers.symbols(graph_)) {
    symbols_ = constants_;
    const std::vector<std::string> names = model.position_names();
    for (std::size_t i = 0; i < names.size(); ++i) symbols_[names[i]] = graph_.variable(static_cast<int>(i));
    symbols_["t"] = graph_.variable(model.nq());
    start_.assign(parts.initial.q.begin(), parts.initial.q.end());
    start_.push_back(parts.initial.t);
  }

  void read(const Fields& root) {
    for (const auto& [name, fields] : root.named_blocks("draw")) read_shape(name, fields);
  }
  /// An elastic bar before its wall, along the first axis.
  void add_bar(const std::string& prefix, const Fields& bar, scenario::Numbers& given) {
    const double length = given.number(bar, "length"), gap = given.number(bar, "gap");
    Numbers numbers;
    for (double x :
         {length, std::max(std::sqrt(given.number(bar, "section")), 0.03 * length), given.number(bar, "young"), gap})
      numbers.push_back(graph_.constant(x));
    for (int i = 0;; ++i) {
      const auto node = symbols_.find(fmt::format("{}u{}", prefix, i));
      if (node == symbols_.end()) break;
      numbers.push_back(node->second);
    }
    DrawnShape shape;
    shape.kind = Drawn::bar;
    shape.name = prefix + "bar";
    finish(std::move(shape), numbers, bar);
    DrawnShape wall;
    wall.kind = Drawn::plane;
    wall.name = prefix + "wall";
    wall.ground = true;
    wall.values = {-gap, 0, 0, 1, 0, 0};
    out_.shapes.push_back(std::move(wall));
  }
  void compile() {
    if (moving_.empty()) return;
    out_.moving = static_cast<int>(moving_.size());
    out_.motion = CompiledFunction(graph_, moving_, model_.nq() + 1);
  }
  /// Every point was given by two numbers.
  bool flat() const { return points_ > 0 && !in_space_; }

 private:
  using Numbers = std::vector<NodeId>;

  void read_shape(const std::string& name, const Fields& fields) {
    const std::string kind = fields.one_of({"point", "line", "circle", "box", "spring", "contact"});
    DrawnShape shape;
    shape.name = name;
    shape.ground = fields.boolean("ground");
    shape.trace = fields.boolean("trace");
    body_fixed_ = fields.has("on");
    if (body_fixed_) shape.body = shape.other = body(fields);
    Numbers numbers;
    const Node node = fields.node(kind);
    if (kind == "line" || kind == "spring") {
      const std::vector<Node> points = node.items();
      if (points.size() < 2 || (kind == "spring" && points.size() > 2))
        node.fail(fmt::format("expected {} points, found {}", kind == "spring" ? "two" : "two or more", points.size()));
      for (const Node& p : points) add_point(p, numbers);
    } else {
      add_point(node, numbers);
    }
    if (kind == "circle") add(fields, {"radius", "angle"}, numbers);
    if (kind == "box") {
      add_size(fields, numbers);
      add(fields, {"angle"}, numbers);
    }
    if (kind == "spring") add(fields, {"width"}, numbers);
    if (kind == "contact") add_contact(name, fields, numbers);
    if (kind == "line" && fields.has("width")) shape.width = constant(fields, "width");
    shape.kind = kind == "point"    ? Drawn::point
                 : kind == "line"   ? Drawn::line
                 : kind == "circle" ? Drawn::circle
                 : kind == "box"    ? Drawn::box
                 : kind == "spring" ? Drawn::spring
                                    : Drawn::contact;
    finish(std::move(shape), numbers, fields);
  }

  int body(const Fields& fields) const {
    const std::string name = fields.text("on");
    const auto found = std::find(bodies_.begin(), bodies_.end(), name);
    if (found == bodies_.end()) fields.fail("on", unknown_word("body", name, bodies_));
    return static_cast<int>(found - bodies_.begin());
  }

  NodeId formula(const Node& node) {
    if (!node.is_scalar()) node.fail(fmt::format("expected a formula, found {}", node.describe()));
    return located(node, [&] { return parse(node.text(), body_fixed_ ? constants_ : symbols_, graph_); });
  }
  void add_point(const Node& node, Numbers& numbers) {
    if (!node.is_list()) node.fail(fmt::format("expected a point [x, y] or [x, y, z], found {}", node.describe()));
    const std::vector<Node> x = node.items();
    if (x.size() != 2 && x.size() != 3)
      node.fail(fmt::format("expected a point [x, y] or [x, y, z], found {} entries", x.size()));
    ++points_;
    in_space_ = in_space_ || x.size() == 3;
    if (x.size() == 3) {
      for (const Node& item : x) numbers.push_back(formula(item));
      return;
    }
    const NodeId a = formula(x[0]), b = formula(x[1]);
    for (int i = 0; i < 3; ++i) numbers.push_back(out_.e1[i] != 0 ? a : out_.e2[i] != 0 ? b : graph_.constant(0));
  }
  void add(const Fields& fields, std::initializer_list<const char*> keys, Numbers& numbers) {
    for (const char* key : keys) numbers.push_back(fields.has(key) ? formula(fields.node(key)) : graph_.constant(0));
  }
  void add_size(const Fields& fields, Numbers& numbers) {
    if (!fields.has("size")) fields.fail("box", "needs `size`: [width, height], or three edge lengths");
    const std::size_t before = numbers.size();
    add_point(fields.node("size"), numbers);
    --points_;
    if (numbers.size() != before + 3) fields.fail("size", "expected [width, height], or three edge lengths");
  }
  void add_contact(const std::string& name, const Fields& fields, Numbers& numbers) {
    std::vector<std::string> names;
    for (const ConstraintItem& item : model_.items())
      if (!item.bilateral) names.push_back(item.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
      fields.node().fail_key(unknown_word("contact", name, names));
    if (!fields.has("normal")) fields.fail("contact", "needs `normal`: the direction in which it pushes");
    for (const char* key : {"normal", "tangent"}) {
      if (fields.has(key)) {
        add_point(fields.node(key), numbers);
        --points_;
        continue;
      }
      // to the right of a normal that points up
      const std::size_t n = numbers.size() - 3;
      const std::array<NodeId, 3> normal{numbers[n], numbers[n + 1], numbers[n + 2]};
      const Vector3d e3 = out_.e1.cross(out_.e2);
      for (int i = 0; i < 3; ++i) {
        const auto a = static_cast<std::size_t>((i + 1) % 3), b = static_cast<std::size_t>((i + 2) % 3);
        // normal x e3
        numbers.push_back(graph_.sub(graph_.scale(e3[static_cast<Index>(b)], normal[a]),
                                     graph_.scale(e3[static_cast<Index>(a)], normal[b])));
      }
    }
  }
  double constant(const Fields& fields, const char* key) {
    const NodeId x = located(fields.node(key), [&] { return parse(fields.node(key).text(), constants_, graph_); });
    return evaluate(graph_, x, start_);
  }

  void finish(DrawnShape shape, const Numbers& numbers, const Fields& fields) {
    bool moves = false;
    for (NodeId x : numbers) {
      moves = moves || !graph_.is_constant(x);
      shape.values.push_back(evaluate(graph_, x, start_));
      if (!std::isfinite(shape.values.back()))
        fields.node().fail("no finite value at the initial state; accepted: formulas that are finite there");
    }
    if (moves) {
      shape.first = static_cast<int>(moving_.size());
      moving_.insert(moving_.end(), numbers.begin(), numbers.end());
    }
    out_.shapes.push_back(std::move(shape));
  }

  const Model& model_;
  Drawing& out_;
  std::vector<std::string> bodies_;
  Graph graph_;
  Symbols constants_, symbols_;
  std::vector<double> start_;
  std::vector<NodeId> moving_;
  int points_ = 0;
  bool in_space_ = false, body_fixed_ = false;
};

}  // namespace

Drawing read_drawing(const Fields& root, const Model& model, Parts& parts) {
  Drawing out;
  out.flexible = std::move(parts.flexible);
  out.beams = std::move(parts.beams);
  const Fields system = root.block("system");
  std::vector<schema::Named<Fields>> sources{{"", system}};
  for (const auto& [name, part] : system.named_blocks("parts")) sources.push_back({name + ".", part});
  // A picture in the plane, unless something leaves it.
  std::set<std::string> planes;
  bool in_space = false, bar = false;
  for (const auto& [prefix, fields] : sources) {
    if (fields.has("planar")) planes.insert(fields.text("planar"));
    in_space =
        in_space || ((fields.has("bodies") || fields.has("flexible") || fields.has("scenes")) && !fields.has("planar"));
    bar = bar || fields.has("bar");
  }
  if (planes.size() == 1 && !in_space) {
    out.planar = true;
    out.e1 = Vector3d::Unit((*planes.begin())[0] - 'x');
    out.e2 = Vector3d::Unit((*planes.begin())[1] - 'x');
  }
  DrawReader reader(model, parts, out);
  reader.read(root);
  for (const auto& [prefix, fields] : sources)
    if (fields.has("bar")) reader.add_bar(prefix, fields.block("bar"), parts.numbers);
  reader.compile();
  out.planar = out.planar || (planes.empty() && !in_space && (reader.flat() || bar));
  draw_bodies(sources, model, parts, out);
  return out;
}

}  // namespace scenario
}  // namespace ricochet
