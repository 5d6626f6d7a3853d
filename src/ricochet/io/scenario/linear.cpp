// Linear systems from matrices, and the elastic bar.
#include "ricochet/model/subsystem/linear.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <algorithm>

#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/math/expression/tape.hpp"
#include "ricochet/model/constraint/linear_rows.hpp"

namespace ricochet::scenario {
namespace {

using schema::Expression;
using schema::Fields;
using yaml::Node;
using Sparse = LinearParameters::Sparse;

constexpr std::int64_t kLargest = 1'000'000;  ///< rows
constexpr Index kDense = 16;                  ///< operators up to this size are stored dense
constexpr Index kEigenvalues = 400;           ///< mass matrices up to this size are looked at by eigenvalues

/// Frames whose formulas are over the symbols of a graph with the coordinates as its variables.
FormulaMounts linear_frames(const Fields& fields, Graph& graph, const Symbols& symbols, Parts& parts) {
  FormulaMounts out;
  for (const FrameText& f : read_frames(fields, parts)) {
    const auto node = [&](const Expression& e) {
      return located(e.node, [&] { return parse(e.text, symbols, graph); });
    };
    MountFormula made{f.name, {}, f.axis, f.angle.node ? node(f.angle) : graph.constant(0)};
    for (std::size_t k = 0; k < 3; ++k) made.position[k] = node(f.position[k]);
    located(f.node, [&] { out.add(graph, made); });
  }
  return out;
}

class LinearReader {
 public:
  LinearReader(const Fields& fields, Parts& parts) : fields_(fields), parts_(parts) {}

  void read(const Fields& initial) {
    LinearParameters p;
    p.M = matrix("M");
    n_ = p.M.rows();
    if (fields_.has("C")) p.C = matrix("C");
    if (fields_.has("K")) p.K = matrix("K");
    check_symmetric(p.M, "M");
    if (p.K.size() > 0) check_symmetric(p.K, "K");
    read_names();
    for (const std::string& name : names_) p.names.push_back(parts_.prefix + name);
    p.load = load();
    p.dense = n_ <= kDense;
    if (n_ > kEigenvalues) check_large_mass(p.M);
    p.mounts = linear_frames(fields_, graph_, symbols_, parts_);
    const FormulaMounts frames = p.mounts;
    auto subsystem = located(fields_.node(), [&] { return make_linear(std::move(p)); });
    first_ = parts_.grow(*subsystem, fields_.has("coordinates") ? fields_.node("coordinates") : fields_.node("M"));
    if (n_ <= kEigenvalues) parts_.masses.push_back({fields_.node("M"), first_.v, subsystem->nv()});
    read_initial(initial, names_, first_.q, parts_);
    add_frames(*subsystem, frames, first_, parts_);
    parts_.builder.add(std::move(subsystem));
    read_constraints();
  }

 private:
  Sparse matrix(const char* key) {
    const Node node = fields_.node(key);
    std::vector<Eigen::Triplet<double>> entries;
    Index n = 0;
    if (node.is_map())
      n = sparse_entries(node, entries);
    else if (node.is_list())
      n = dense_entries(node, entries);
    else
      node.fail(fmt::format("expected a list of rows, or {{size: n, entries: [[i, j, value], ...]}}, found {}",
                            node.describe()));
    if (n_ > 0 && n != n_)
      node.fail(fmt::format("{} has {} rows, M has {}; accepted: matrices of one size", key, n, n_));
    Sparse A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  }

  Index dense_entries(const Node& node, std::vector<Eigen::Triplet<double>>& entries) {
    const std::vector<Node> rows = node.items();
    if (rows.empty()) node.fail("the matrix is empty; accepted: a list of rows");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<Node> row = rows[i].items();
      if (row.size() != rows.size())
        rows[i].fail(fmt::format("row {} has {} entries; accepted: {}, as many as there are rows", i + 1, row.size(),
                                 rows.size()));
      for (std::size_t j = 0; j < row.size(); ++j)
        if (const double value = parts_.numbers.value(row[j]); value != 0)
          entries.emplace_back(static_cast<int>(i), static_cast<int>(j), value);
    }
    return std::ssize(rows);
  }

  Index sparse_entries(const Node& node, std::vector<Eigen::Triplet<double>>& entries) {
    const std::vector<std::string> keys{"size", "entries"};
    node.accept_keys(keys);
    for (const std::string& key : keys)
      if (!node.has(key))
        node.fail(fmt::format("missing key '{}'; accepted: {{size: n, entries: [[i, j, value], ...]}}", key));
    const std::int64_t n = node.child("size").integer();
    if (n < 1 || n > kLargest)
      node.child("size").fail(fmt::format("{} is out of range; accepted: 1 <= size <= {}", n, kLargest));
    for (const Node& item : node.child("entries").items()) {
      const std::vector<Node> entry = item.items();
      if (entry.size() != 3) item.fail(fmt::format("expected [i, j, value], found {} entries", entry.size()));
      const std::int64_t i = place(entry[0], n), j = place(entry[1], n);
      entries.emplace_back(static_cast<int>(i - 1), static_cast<int>(j - 1), parts_.numbers.value(entry[2]));
    }
    return static_cast<Index>(n);
  }

  static std::int64_t place(const Node& node, std::int64_t n) {
    const std::int64_t i = node.integer();
    if (i < 1 || i > n) node.fail(fmt::format("{} is outside the matrix; accepted: 1 to {}", i, n));
    return i;
  }

  void check_symmetric(const Sparse& A, const char* key) const {
    const Sparse T = A.transpose();
    if ((A - T).norm() > 1e-14 * A.norm())
      fields_.node(key).fail(
          fmt::format("{} is not symmetric; accepted: entries (i, j) and (j, i) that are equal", key));
  }

  void check_large_mass(const Sparse& M) const {
    const Eigen::SparseMatrix<double> columns = M;
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt(columns);
    if (ldlt.info() != Eigen::Success || !(ldlt.vectorD().minCoeff() > 0))
      fields_.node("M").fail(
          "the mass matrix is not positive definite; accepted: a kinetic energy that is positive for every "
          "velocity");
  }

  void read_names() {
    const std::vector<std::string> given = fields_.texts("coordinates");
    if (!given.empty() && std::ssize(given) != n_)
      fields_.fail("coordinates", fmt::format("{} names for {} coordinates", given.size(), n_));
    symbols_ = parts_.numbers.symbols(graph_);
    for (Index i = 0; i < n_; ++i) {
      names_.push_back(given.empty() ? fmt::format("q{}", i + 1) : given[static_cast<std::size_t>(i)]);
      const std::string& name = names_.back();
      const Node node =
          given.empty() ? fields_.node("M") : fields_.node("coordinates").items()[static_cast<std::size_t>(i)];
      if (!is_valid_name(name) || name == "t")
        node.fail(fmt::format("'{}' cannot be a name; accepted: letters, digits and underscores, not t, not a function",
                              name));
      if (!symbols_.emplace(name, graph_.variable(static_cast<int>(i))).second)
        node.fail(fmt::format("the name '{}' is given twice", name));
    }
  }

  std::function<void(double, View)> load() {
    struct Load {
      Tape tape;
      std::vector<Index> at;
    };
    Graph graph;
    Symbols symbols = parts_.numbers.symbols(graph);
    symbols["t"] = graph.variable(0);
    std::vector<NodeId> forces;
    const auto made = std::make_shared<Load>();
    for (const auto& [name, force] : fields_.named_expressions("load")) {
      const auto at = std::find(names_.begin(), names_.end(), name);
      if (at == names_.end()) force.node.fail_key(unknown_word("coordinate", name, names_));
      made->at.push_back(at - names_.begin());
      forces.push_back(located(force.node, [&, &text = force.text] { return parse(text, symbols, graph); }));
      if (const double start = parts_.initial.t; !std::isfinite(evaluate(graph, forces.back(), {&start, 1})))
        force.node.fail("no finite value at the initial time; accepted: formulas that are finite there");
    }
    if (forces.empty()) return {};
    made->tape = Tape(graph, forces, 1);
    return [made](double t, View f) {
      // The model is shared between threads; the work array must not be.
      thread_local std::vector<double> work;
      work.resize(std::max(work.size(), made->tape.work_size()));
      made->tape.prepare(work.data());
      *made->tape.input(work.data()) = t;
      made->tape.run(work.data());
      for (std::size_t i = 0; i < made->at.size(); ++i) f[made->at[i]] += made->tape.output(work.data())[i];
    };
  }

  void read_constraints() {
    std::vector<LinearRow> items;
    for (const auto& [given, node] : fields_.named_nodes("joints")) {
      const std::string name = parts_.prefix + given;
      declare_constraint(name, node, parts_);
      LinearRow item;
      item.name = name;
      for (const Expression& row : read_rows(node, 1000)) add_row(row, item);
      items.push_back(std::move(item));
    }
    for (const auto& [given, contact] : fields_.named_blocks("contacts")) {
      const std::string name = parts_.prefix + given;
      declare_constraint(name, contact.node(), parts_);
      LinearRow item;
      item.name = name;
      add_row(contact.expression("gap"), item);
      if (contact.has("slip"))
        for (const Expression& slip : read_rows(contact.node("slip"), 2)) add_row(slip, item);
      item.law = read_law(contact, static_cast<int>(item.rows.size()) - 1, parts_);
      items.push_back(std::move(item));
    }
    if (!items.empty()) parts_.builder.add(make_linear_rows(std::move(items)));
  }

  void add_row(const Expression& row, LinearRow& item) {
    NodeId rest = located(row.node, [&] { return parse(row.text, symbols_, graph_); });
    std::vector<LinearRow::Entry> entries;
    for (int i = 0; i < n_; ++i) {
      if (!graph_.depends_on(rest, i)) continue;
      const NodeId slope = graph_.derivative(rest, i);
      if (!graph_.is_constant(slope))
        row.node.fail(
            fmt::format("'{}' enters with another power than 1; accepted: formulas of degree 1 in the "
                        "coordinates",
                        names_[static_cast<std::size_t>(i)]));
      entries.push_back({first_.v + i, graph_.value(slope)});
      rest = graph_.substitute(rest, i, graph_.constant(0));
    }
    if (entries.empty()) row.node.fail("no coordinate enters; accepted: formulas of degree 1 in the coordinates");
    item.rows.push_back(std::move(entries));
    item.offset.push_back(graph_.value(rest));
  }

  const Fields& fields_;
  Parts& parts_;
  Index n_ = 0;
  Beginning first_{};
  std::vector<std::string> names_;
  Graph graph_;
  Symbols symbols_;
};

}  // namespace

void read_linear(const Fields& fields, const Fields& initial, Parts& parts) {
  LinearReader(fields, parts).read(initial);
}

void read_bar(const Fields& fields, const Fields& initial, Parts& parts) {
  Numbers& numbers = parts.numbers;
  const BarParameters p{.length = numbers.number(fields, "length"),
                        .section = numbers.number(fields, "section"),
                        .young = numbers.number(fields, "young"),
                        .density = numbers.number(fields, "density"),
                        .elements = static_cast<int>(fields.integer("elements"))};
  LinearParameters matrices = bar(p);
  if (!matrices.M.coeffs().allFinite() || !matrices.K.coeffs().allFinite() || !(matrices.M.coeffs().minCoeff() > 0))
    fields.node().fail("the mass or stiffness of an element leaves the range of numbers; accepted: values in SI units");
  const std::vector<std::string> names = matrices.names;
  Graph graph;
  Symbols symbols = numbers.symbols(graph);
  for (std::size_t i = 0; i < names.size(); ++i) {
    matrices.names[i] = parts.prefix + names[i];
    if (fields.has("frames")) symbols[names[i]] = graph.variable(static_cast<int>(i));
  }
  matrices.mounts = linear_frames(fields, graph, symbols, parts);
  const FormulaMounts frames = matrices.mounts;
  auto subsystem = make_linear(std::move(matrices));
  const Beginning at = parts.grow(*subsystem, fields.node());
  parts.initial.v.tail(subsystem->nv()).setConstant(numbers.number(fields, "velocity"));
  read_initial(initial, names, at.q, parts);
  add_frames(*subsystem, frames, at, parts);
  parts.builder.add(std::move(subsystem));
  declare_constraint(parts.prefix + "wall", fields.node(), parts);
  if (numbers.number(fields, "friction") > 0)
    fields.fail("friction", "a bar slides along its axis only; accepted: friction 0");
  parts.builder.add(make_linear_rows(
      {{parts.prefix + "wall", {{{at.v, 1.0}}}, {numbers.number(fields, "gap")}, read_law(fields, 0, parts)}}));
}

}  // namespace ricochet::scenario
