#include "ricochet/io/result/vtk.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "ricochet/io/error.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/io/scenario/drawing.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

enum CellType : std::uint8_t { kVertex = 1, kLine = 3, kTet = 10, kHex = 12, kQuadraticTet = 24 };

/// One data array, by values.
struct Array {
  std::string name;
  int components = 1;
  std::vector<double> values{};
  void add(const Vector3d& x) { values.insert(values.end(), {x.x(), x.y(), x.z()}); }
};

struct Grid {
  std::vector<double> points;
  std::vector<int> connectivity, offsets, types;
  std::vector<Array> point_data, cell_data;

  int count() const { return static_cast<int>(points.size() / 3); }
  void add_point(const Vector3d& x) { points.insert(points.end(), {x.x(), x.y(), x.z()}); }
  void close_cell(CellType type) {
    offsets.push_back(static_cast<int>(connectivity.size()));
    types.push_back(type);
  }
};

class VtkFile {
 public:
  void write(const Grid& g, const fs::path& path) {
    put("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n");
    put("<UnstructuredGrid>\n");
    put(fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>\n", g.count(), g.types.size()));
    numbers("Points", 3, g.points);
    put("</Points>\n<Cells>\n");
    whole("connectivity", g.connectivity, "Int32");
    whole("offsets", g.offsets, "Int32");
    whole("types", g.types, "UInt8");
    put("</Cells>\n<PointData>\n");
    for (const Array& a : g.point_data) numbers(a.name, a.components, a.values);
    put("</PointData>\n<CellData>\n");
    for (const Array& a : g.cell_data) numbers(a.name, a.components, a.values);
    put("</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    OutputFile file(path.string());
    if (std::fwrite(text_.data(), 1, text_.size(), file.stream()) != text_.size())
      throw OutputError(fmt::format("{} could not be written: the disk is full", path.string()));
    file.commit();
    text_.clear();
  }

 private:
  void put(const std::string& text) { text_.append(text.data(), text.data() + text.size()); }
  void numbers(const std::string& name, int components, const std::vector<double>& x) {
    put(fmt::format("<DataArray type=\"Float64\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">\n", name,
                    components));
    for (std::size_t i = 0; i < x.size(); ++i)
      fmt::format_to(std::back_inserter(text_), "{:.9g}{}", std::isfinite(x[i]) ? x[i] : 0,
                     (i + 1) % static_cast<std::size_t>(components) == 0 ? '\n' : ' ');
    put("</DataArray>\n");
  }
  void whole(const std::string& name, const std::vector<int>& x, const char* type) {
    put(fmt::format("<DataArray type=\"{}\" Name=\"{}\" format=\"ascii\">\n", type, name));
    for (std::size_t i = 0; i < x.size(); ++i)
      fmt::format_to(std::back_inserter(text_), "{}{}", x[i], i % 16 == 15 ? '\n' : ' ');
    put("\n</DataArray>\n");
  }
  fmt::memory_buffer text_;
};

/// Corners in the order of VTK: of tet10 its last two edges change places.
void add_cell(const SolidMesh& mesh, const SolidMesh::Element& e, int first, Grid& g) {
  const auto nodes = mesh.nodes_of(e);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const bool tail = e.kind == ElementKind::tet10 && a >= 8;
    g.connectivity.push_back(first + nodes[tail ? 17 - a : a]);
  }
  g.close_cell(e.kind == ElementKind::hex8 ? kHex : e.kind == ElementKind::tet4 ? kTet : kQuadraticTet);
}

Grid flexible_grid(const Drawing& drawing, ConstView q, ConstView v) {
  Grid g;
  g.point_data = {{"displacement", 3}, {"velocity", 3}};
  g.cell_data = {{"stress", 9}, {"von_mises"}, {"body"}, {"element"}};
  double number = 0;
  for (const FlexibleReading& f : drawing.flexible) {
    const FlexibleBody& body = *f.body;
    const SolidMesh& mesh = body.mesh();
    const ConstView own = q.segment(f.first_q, body.nq()), speed = v.segment(f.first_v, body.nv());
    const int first = g.count();
    for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n) {
      const Vector3d u = body.displacement(n, own);
      g.add_point(mesh.nodes[static_cast<std::size_t>(n)] + u);
      g.point_data[0].add(u);
      g.point_data[1].add(body.displacement(n, speed));
    }
    const bool rod = mesh.elements.empty();
    const std::size_t cells = rod ? mesh.nodes.size() - 1 : mesh.elements.size();
    for (std::size_t e = 0; e < cells; ++e) {
      if (rod) {
        g.connectivity.insert(g.connectivity.end(), {first + static_cast<int>(e), first + static_cast<int>(e) + 1});
        g.close_cell(kLine);
      } else {
        add_cell(mesh, mesh.elements[e], first, g);
      }
      const Matrix3d stress = body.stress(e, own);
      g.cell_data[0].values.insert(g.cell_data[0].values.end(), stress.data(), stress.data() + 9);
      g.cell_data[1].values.push_back(von_mises(stress));
      g.cell_data[2].values.push_back(number);
      g.cell_data[3].values.push_back(rod ? static_cast<double>(e) + 1 : mesh.elements[e].number);
    }
    ++number;
  }
  return g;
}

/// Everything that frames can be fixed to, nodes of flexible bodies left out.
Grid body_grid(const Scenario& s, ConstView q, ConstView v) {
  Grid g;
  g.point_data = {{"x", 3}, {"y", 3}, {"z", 3}, {"velocity", 3}, {"body"}};
  int first_q = 0, first_v = 0;
  double number = 0;
  for (const auto& subsystem : s.model.subsystems()) {
    const auto nodal = [&](const FlexibleReading& f) { return f.body == subsystem.get(); };
    const bool flexible = std::any_of(s.drawing->flexible.begin(), s.drawing->flexible.end(), nodal);
    for (int m = 0; m < subsystem->mounts(); ++m, ++number) {
      if (flexible) continue;
      const ConstView own = q.segment(first_q, subsystem->nq());
      Pose pose = subsystem->pose(m, own);
      pose.q = own;
      g.connectivity.push_back(g.count());
      g.add_point(pose.c);
      g.close_cell(kVertex);
      for (Index i = 0; i < 3; ++i) g.point_data[static_cast<std::size_t>(i)].add(pose.R.col(i));
      g.point_data[3].add(subsystem->twist(m, pose, v.segment(first_v, subsystem->nv())).v);
      g.point_data[4].values.push_back(number);
    }
    first_q += subsystem->nq();
    first_v += subsystem->nv();
  }
  return g;
}

Grid contact_grid(const ResultRowView& row) {
  Grid g;
  g.point_data = {{"impulse", 3}, {"reaction", 3}, {"gap"}, {"constraint"}};
  for (const ContactEntry& c : row.contacts) {
    const Vector3d point(c.point.data()), normal(c.normal.data());
    if (!point.allFinite() || !normal.allFinite()) continue;
    g.connectivity.push_back(g.count());
    g.add_point(point);
    g.close_cell(kVertex);
    g.point_data[0].add(c.P[0] * normal);
    g.point_data[1].add(c.reaction[0] * normal);
    g.point_data[2].values.push_back(c.gap);
    g.point_data[3].values.push_back(c.item);
  }
  return g;
}

}  // namespace

std::size_t write_vtk(const Results& results, const VtkOptions& options, const fs::path& folder) {
  const Scenario scenario = results.scenario();
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder))
    throw InputError(folder.string(), "cannot be a folder; accepted: a new one, or one that is there");
  const std::string name = fs::path(results.file()).stem().string();
  std::string index = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  std::size_t written = 0;
  const ResultLayout& layout = results.layout();
  const auto every = static_cast<std::size_t>(std::max<std::int64_t>(1, options.every));
  VtkFile file;
  for (RowReader rows(results); rows.next();) {
    if (rows.index() % every != 0 && rows.index() + 1 != results.rows()) continue;
    const double* numbers = rows.row().numbers;
    const ConstView q(numbers + layout.q, scenario.model.nq()), v(numbers + layout.v, scenario.model.nv());
    const auto put = [&](const Grid& grid, const char* kind, int part) {
      const std::string own = fmt::format("{}{}_{:04}.vtu", name, kind, written);
      file.write(grid, folder / own);
      index += fmt::format("<DataSet timestep=\"{:.17g}\" part=\"{}\" file=\"{}\"/>\n", numbers[layout.t], part, own);
    };
    if (!scenario.drawing->flexible.empty()) put(flexible_grid(*scenario.drawing, q, v), "", 0);
    put(body_grid(scenario, q, v), "_bodies", 1);
    if (layout.has_contacts()) put(contact_grid(rows.row()), "_contacts", 2);
    ++written;
  }
  index += "</Collection>\n</VTKFile>\n";
  OutputFile collection((folder / (name + ".pvd")).string());
  if (std::fwrite(index.data(), 1, index.size(), collection.stream()) != index.size())
    throw OutputError("the list of times could not be written: the disk is full");
  collection.commit();
  return written;
}

}  // namespace ricochet
