#include "ricochet/model/subsystem/face_loads.hpp"

namespace ricochet {

FaceLoads::FaceLoads(std::vector<FacePressure> pressures, const SolidMesh& mesh, const std::vector<int>& free_of,
                     bool follow)
    : pressures_(std::move(pressures)), follow_(follow) {
  for (const FacePressure& p : pressures_) {
    std::vector<Face>& own = faces_.emplace_back();
    for (const SurfaceFace& face : p.faces) {
      Face& f = own.emplace_back();
      f.nodes = face.count;
      for (std::size_t a = 0; a < face.all().size(); ++a) {
        const auto node = static_cast<std::size_t>(face.nodes[a]);
        f.free[a] = free_of[node];
        Eigen::Map<Vector3d>(f.at.data() + 3 * a) = mesh.nodes[node];
      }
    }
  }
}

void FaceLoads::find_places(const NodePairs& pairs) {
  for (std::vector<Face>& faces : faces_)
    for (Face& f : faces) {
      f.places = places_.size();
      const std::span<const int> own(f.free.data(), static_cast<std::size_t>(f.nodes));
      for (const int i : own)
        for (const int j : own) places_.push_back(i >= 0 && j >= 0 ? pairs.find(i, j) : -1);
    }
}

FaceLoads::Local FaceLoads::place(const Face& face, ConstView q) const {
  Local x = face.at;
  for (int a = 0; a < face.nodes && follow_; ++a)
    if (const int i = face.free[static_cast<std::size_t>(a)]; i >= 0)
      for (int r = 0; r < 3; ++r) x[static_cast<std::size_t>(3 * a + r)] += q[3 * i + r];
  return x;
}

template <class Action>
void FaceLoads::each(double p, std::size_t k, ConstView q, Action action) const {
  for (const Face& face : faces_[k]) {
    Local f{};
    add_face_force(face.nodes, place(face, q).data(), p, f.data());
    for (int a = 0; a < face.nodes; ++a)
      if (const int i = face.free[static_cast<std::size_t>(a)]; i >= 0) action(3 * i, f.data() + std::ptrdiff_t{3} * a);
  }
}

void FaceLoads::add(double t, ConstView q, double c, View y, Work& work) const {
  for (std::size_t k = 0; k < pressures_.size(); ++k)
    each(c * value(k, t, work), k, q, [&](int at, const double* f) {
      for (int r = 0; r < 3; ++r) y[at + r] += f[r];
    });
}

double FaceLoads::power(double t, ConstView q, ConstView w, Work& work) const {
  double sum = 0;
  for (std::size_t k = 0; k < pressures_.size(); ++k)
    each(value(k, t, work), k, q, [&](int at, const double* f) {
      for (int r = 0; r < 3; ++r) sum += f[r] * w[at + r];
    });
  return sum;
}

void FaceLoads::add_tangent(double t, ConstView q, double c, double* blocks, Work& work) const {
  if (!follow_) return;
  for (std::size_t k = 0; k < pressures_.size(); ++k) {
    const double p = c * value(k, t, work);
    for (const Face& face : faces_[k]) {
      const int n = face.nodes;
      std::array<double, std::size_t{9} * kMostFaceNodes * kMostFaceNodes> K{};
      add_face_tangent(n, place(face, q).data(), p, K.data());
      const int* place = places_.data() + face.places;
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b, ++place)
          for (int r = 0; r < 3 && *place >= 0; ++r)
            for (int s = 0; s < 3; ++s)
              blocks[9 * std::ptrdiff_t{*place} + 3 * r + s] +=
                  K[static_cast<std::size_t>(3 * a + r + 3 * n * (3 * b + s))];
    }
  }
}

}  // namespace ricochet
