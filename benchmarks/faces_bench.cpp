// What a gap between faces costs: closed forms and splines, with derivatives, along a motion.
#include <benchmark/benchmark.h>

#include "ricochet/io/cad/brep_text.hpp"
#include "ricochet/model/contact/face_contacts.hpp"

namespace {

using namespace ricochet;

const char* const kPart = R"(ricochet-brep 1
edge 1 0 6.283185307179586 0 0 circle 0 0 -0.5 1 0 0 0 1 0 0 0 1 0.3
edge 2 0 6.283185307179586 0 0 circle 0 0 0.5 1 0 0 0 1 0 0 0 1 0.3
face 1 plane out plane 0 0 0 1 0 0 0 1 0 0 0 1
face 2 pin out cylinder 0 0 0 1 0 0 0 1 0 0 0 1 0.3
loop
side 1 + line 0 -0.5 1 0
loop
side 2 + line 0 0.5 1 0
face 3 bore in cylinder 0 0 0 1 0 0 0 1 0 0 0 1 0.31
face 4 ball out sphere 0 0 0 1 0 0 0 1 0 0 0 1 0.4
face 5 ring out torus 0 0 0 1 0 0 0 1 0 0 0 1 0.4 0.1
face 6 sheet out spline 3 3 4 4 0 0 0 0 0 1 1 1 1 0 0 0 0 1 1 1 1  -0.5 -0.5 0 -0.5 -0.2 0.2 -0.5 0.2 0.2 -0.5 0.5 0  -0.2 -0.5 0.2 -0.2 -0.2 0.5 -0.2 0.2 0.5 -0.2 0.5 0.2  0.2 -0.5 0.2 0.2 -0.2 0.5 0.2 0.2 0.5 0.2 0.5 0.2  0.5 -0.5 0 0.5 -0.2 0.2 0.5 0.2 0.2 0.5 0.5 0
end
)";

MountedFace face(int k) {
  static const auto part = std::make_shared<const brep::Part>(parse_brep(kPart, "part", BrepFit::any));
  return {part, static_cast<std::size_t>(k), {0, Vector3d::Zero(), Matrix3d::Identity()}};
}

/// The first way of two faces, B at x and turned by r against A, swinging a little.
void measure(benchmark::State& state, int a, int b, const Vector3d& x, const Vector3d& r, Ask ask) {
  const FaceContact c = pair_faces(face(a), face(b), Vector3d::Zero()).front();
  const bool swapped =
      c.base != nullptr && c.base->surface().kind != face(a).part->faces[static_cast<std::size_t>(a)].surface.kind;
  Eigen::Vector2d start = Eigen::Vector2d::Zero();
  double phase = 0, sum = 0;
  bool first = true;
  for (auto _ : state) {
    phase += 1e-3;
    if (phase > 1) phase -= 1;
    const Vector3d at = x + 1e-3 * phase * Vector3d(1, 2, 0);
    const Pose still{}, moved{at, exp_rotation(r)};
    const PlacedFrame A(swapped ? moved : still, c.A), B(swapped ? still : moved, c.B);
    if (c.base == nullptr) {
      sum += touch(c.feature, A, B, Vector3d::Zero(), ask).gap;
      continue;
    }
    if (first) start = brep::search(*c.base, c.rider, {A.R.transpose() * (B.x() - A.x()), A.R.transpose() * B.R});
    first = false;
    sum += touch(c, A, B, {start[0], start[1], 1}, ask).gap;
  }
  benchmark::DoNotOptimize(sum);
}

const Vector3d kAbove(0.02, 0.01, 0.6), kTilt(0.3, 0.2, 0.1), kOver(3.1, 0.2, 0);

void ball_on_plane(benchmark::State& s) { measure(s, 0, 3, kAbove, kTilt, Ask::values); }
void rim_in_bore(benchmark::State& s) { measure(s, 2, 1, {5e-3, 2e-3, 0.1}, {0.01, 0, 0}, Ask::values); }
void ring_on_plane(benchmark::State& s) { measure(s, 0, 4, kAbove, kTilt, Ask::values); }
void ball_on_spline(benchmark::State& s) { measure(s, 5, 3, kAbove, kTilt, Ask::values); }
void spline_on_plane(benchmark::State& s) { measure(s, 0, 5, kAbove, kOver, Ask::values); }
void spline_on_spline(benchmark::State& s) { measure(s, 5, 5, {0.02, 0.01, 0.8}, kOver, Ask::values); }
void spline_on_spline_derivatives(benchmark::State& s) { measure(s, 5, 5, {0.02, 0.01, 0.8}, kOver, Ask::derivatives); }
BENCHMARK(ball_on_plane);
BENCHMARK(rim_in_bore);
BENCHMARK(ring_on_plane);
BENCHMARK(ball_on_spline);
BENCHMARK(spline_on_plane);
BENCHMARK(spline_on_spline);
BENCHMARK(spline_on_spline_derivatives);

}  // namespace

BENCHMARK_MAIN();
