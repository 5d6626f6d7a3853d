// Meshes of Gmsh: the same block in every form, and what is refused.
#include "ricochet/io/mesh/gmsh.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ricochet/math/input_error.hpp"

namespace ricochet::test::gmsh_test {
namespace {

template <class T>
void put(std::string& out, T x) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &x, sizeof(T));
  out.append(bytes, sizeof(T));
}

/// Writes numbers as text or as bytes.
class Writer {
 public:
  explicit Writer(bool binary) : binary_(binary) {}
  std::string out;
  void text(const std::string& s) { out += s; }
  void integer(int x) { binary_ ? put(out, x) : text(std::to_string(x) + " "); }
  void size(std::uint64_t x) { binary_ ? put(out, x) : text(std::to_string(x) + " "); }
  void number(double x) { binary_ ? put(out, x) : text(std::to_string(x) + " "); }
  void line() {
    if (!binary_) out += "\n";
  }
  void head(const std::string& version) {
    text("$MeshFormat\n" + version + (binary_ ? " 1 8\n" : " 0 8\n"));
    if (binary_) {
      put(out, 1);
      text("\n");
    }
    text("$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"the foot\"\n3 9 \"block\"\n$EndPhysicalNames\n");
  }

 private:
  bool binary_;
};

int gmsh_type(ElementKind kind) { return kind == ElementKind::hex8 ? 5 : kind == ElementKind::tet4 ? 4 : 11; }

/// Node numbers are ten times their place plus three, with gaps.
int tag(int node) { return 10 * node + 3; }

std::string version_two(const SolidMesh& mesh, bool binary) {
  Writer w(binary);
  w.head("2.2");
  w.text("$Nodes\n" + std::to_string(mesh.nodes.size()) + "\n");
  for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n) {
    w.integer(tag(n));
    for (const double x : mesh.nodes[static_cast<std::size_t>(n)]) w.number(x);
    w.line();
  }
  w.text(binary ? "\n$EndNodes\n" : "$EndNodes\n");
  const auto& foot = mesh.sets.at("bottom");
  w.text("$Elements\n" + std::to_string(foot.size() + mesh.elements.size()) + "\n");
  const auto element = [&](int number, int type, int group, std::span<const int> nodes) {
    if (binary)
      for (const int x : {type, 1, 2, number, group, 1}) w.integer(x);
    else
      for (const int x : {number, type, 2, group, 1}) w.integer(x);
    for (const int n : nodes) w.integer(tag(n));
    w.line();
  };
  int number = 0;
  for (const int n : foot) element(++number, 15, 0, {&n, 1});
  for (const auto& e : mesh.elements) element(++number, gmsh_type(e.kind), 9, mesh.nodes_of(e));
  w.text(binary ? "\n$EndElements\n" : "$EndElements\n");
  return w.out;
}

std::string version_four(const SolidMesh& mesh, bool binary) {
  Writer w(binary);
  w.head("4.1");
  w.text("$Entities\n");
  for (const std::uint64_t n : {0, 0, 1, 1}) w.size(n);
  w.line();
  for (const int dim : {2, 3}) {
    w.integer(4);
    for (int i = 0; i < 6; ++i) w.number(0);
    w.size(1);
    w.integer(dim == 2 ? 7 : 9);
    w.size(0);
    w.line();
  }
  w.text(binary ? "\n$EndEntities\n$Nodes\n" : "$EndEntities\n$Nodes\n");
  const auto count = mesh.nodes.size();
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{count}, std::uint64_t{1}, std::uint64_t{99999}})
    w.size(n);
  w.line();
  for (const int x : {3, 4, 0}) w.integer(x);
  w.size(count);
  w.line();
  for (int n = 0; n < static_cast<int>(count); ++n) w.size(static_cast<std::uint64_t>(tag(n)));
  w.line();
  for (const Vector3d& node : mesh.nodes) {
    for (const double x : node) w.number(x);
    w.line();
  }
  w.text(binary ? "\n$EndNodes\n$Elements\n" : "$EndNodes\n$Elements\n");
  for (const std::uint64_t n : {1, static_cast<int>(mesh.elements.size()), 1, 99}) w.size(n);
  w.line();
  for (const int x : {3, 4, gmsh_type(mesh.elements[0].kind)}) w.integer(x);
  w.size(mesh.elements.size());
  w.line();
  for (const auto& e : mesh.elements) {
    w.size(static_cast<std::uint64_t>(e.number) + 100);
    for (const int n : mesh.nodes_of(e)) w.size(static_cast<std::uint64_t>(tag(n)));
    w.line();
  }
  w.text(binary ? "\n$EndElements\n" : "$EndElements\n");
  return w.out;
}

TEST(Gmsh, EveryFormHoldsTheSameMesh) {
  for (const ElementKind kind : {ElementKind::hex8, ElementKind::tet4, ElementKind::tet10}) {
    const SolidMesh box = make_box({{2, 1, 0.5}, {2, 2, 1}, kind});
    for (const bool binary : {false, true})
      for (const bool four : {false, true}) {
        const SolidMesh read = parse_gmsh(four ? version_four(box, binary) : version_two(box, binary), "box.msh");
        ASSERT_EQ(read.nodes.size(), box.nodes.size());
        for (std::size_t n = 0; n < box.nodes.size(); ++n) EXPECT_LT((read.nodes[n] - box.nodes[n]).norm(), 1e-6);
        EXPECT_EQ(read.connections, box.connections);
        EXPECT_EQ(read.number_of(2), 23);
        EXPECT_EQ(read.sets.at("block").size(), box.nodes.size());
        EXPECT_EQ(read.sets.at("surface"), box.sets.at("surface"));
        EXPECT_EQ(check_mesh(read), "");
      }
  }
}

std::string refusal(const std::string& data) {
  try {
    parse_gmsh(data, "bad.msh");
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

TEST(Gmsh, SaysWhatIsWrong) {
  const SolidMesh box = make_box({{2, 1, 0.5}, {2, 1, 1}, ElementKind::hex8});
  for (const bool binary : {false, true})
    for (const bool four : {false, true}) {
      const std::string whole = four ? version_four(box, binary) : version_two(box, binary);
      // wherever it is cut, it is refused, and says so
      for (std::size_t length = 0; length + 1 < whole.size(); length += 7) {
        const std::string what = refusal(whole.substr(0, length));
        EXPECT_NE(what, "read") << length;
        EXPECT_NE(what.find("bad.msh"), std::string::npos) << what;
      }
    }
  std::string text = version_two(box, false);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string out = text;
    out.replace(out.find(from), from.size(), to);
    return refusal(out);
  };
  EXPECT_NE(with("2.2 0 8", "3.0 0 8").find("version 3.0 is not read; accepted: 2.2 and 4.1"), std::string::npos);
  EXPECT_NE(with("7 5 2 9 1 ", "7 17 2 9 1 ").find("hex20"), std::string::npos) << with("7 5 2 9 1 ", "7 17 2 9 1 ");
  EXPECT_NE(with("7 5 2 9 1 ", "7 99 2 9 1 ").find("elements of type 99 are unknown"), std::string::npos);
  EXPECT_NE(with("23 ", "x23 ").find("expected a number"), std::string::npos);
}

}  // namespace
}  // namespace ricochet::test::gmsh_test
