#!/bin/sh
# Instructions per step of Ricochet and of Siconos on the same work, side by side. README.md says what is measured.
#
#   run.sh [--short] [BUILD_DIR]     BUILD_DIR holds Ricochet's build, default: build in the repository's root
#
# --short leaves out what takes long, instructions and friction solvers. measured.txt is what it printed; the tests compare
# the figures of README.md at the root with it:   benchmarks/run.sh --short > benchmarks/measured.txt
#
# Whatever is missing (Siconos' headers, Ricochet's programs) is left out with a message. Exit status 1 when something
# could not be built or counted or when Ricochet misses the factor asked for, 2 when run wrongly.
set -eu

factor=10  # Ricochet must need at least this many times fewer instructions per step than Siconos
ball_steps=2000
slider_crank_steps=20000

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$here")
short=false
if [ "${1:-}" = --short ]; then
  short=true
  shift
fi
build=${1:-$root/build}
if [ $# -gt 1 ]; then
  echo "usage: run.sh [--short] [BUILD_DIR]" >&2
  exit 2
fi
if ! command -v valgrind >/dev/null; then
  echo "run.sh: valgrind is missing; apt-get install valgrind" >&2
  exit 2
fi

CXX=${CXX:-g++}
peer_flags="-std=c++17 -O2"
include=/usr/include/siconos
peer_dir=$build/benchmarks/siconos
status=0

say() { echo "run.sh: $*" >&2; }

# version PACKAGE: of a Debian package, empty where it is not installed
version() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null || true; }

build_peer() {
  if [ ! -f "$include/kernel/SiconosKernel.hpp" ]; then
    say "Siconos' headers are missing, left out; apt-get install libsiconos-kernel-dev libsiconos-numerics-dev"
    return 0
  fi
  mkdir -p "$peer_dir"
  for name in ball slider_crank friction; do
    program=$peer_dir/siconos_$name
    source=$here/siconos/$name.cpp
    if [ -n "$(find "$program" -newer "$source" 2>/dev/null)" ]; then continue; fi
    say "building siconos_$name"
    # The flags are a list of words.
    # shellcheck disable=SC2086
    if ! "$CXX" $peer_flags -isystem "$include/kernel" -isystem "$include/numerics" -isystem "$include" "$source" \
      -o "$program" -lsiconos_kernel -lsiconos_numerics; then
      say "siconos_$name did not build"
      status=1
    fi
  done
}

# ours NAME: path of one of Ricochet's programs, empty where it is not built
ours() {
  for path in "$build/benchmarks/$1" "$build/$1"; do
    if [ -f "$path" ] && [ -x "$path" ]; then
      echo "$path"
      return 0
    fi
  done
}

# count STEPS PROGRAM [ARGUMENT...]: instructions per step, "-" where the program is missing, "failed" where it fails
count() {
  steps=$1
  shift
  if [ ! -x "$1" ]; then
    echo -
    return 0
  fi
  say "counting: ${1##*/} over $steps steps"
  "$here/instructions.sh" -a 1 -b $((steps + 1)) "$@" || echo failed
}

# row EXAMPLE PEER_SETTINGS OURS PEERS
row() {
  ratio=-
  case "$3$4" in
    *failed*) status=1 ;;
    *-*) ;;
    *)
      ratio=$(awk -v ours="$3" -v peer="$4" 'BEGIN { printf "%.1f", peer / ours }')
      if [ $(($3 * factor)) -gt "$4" ]; then
        ratio="$ratio (below $factor)"
        status=1
      fi
      ;;
  esac
  printf '| %s | %s | %s | %s | %s |\n' "$1" "$2" "$3" "$4" "$ratio"
}

build_peer
for name in bench_ball bench_slider_crank; do
  if [ -z "$(ours $name)" ]; then say "$name is in neither $build/benchmarks nor $build, left out"; fi
done

if ! $short; then
  ball_ours=$(count $ball_steps "$(ours bench_ball)")
  crank_ours=$(count $slider_crank_steps "$(ours bench_slider_crank)")
  ball_peer=$(count $ball_steps "$peer_dir/siconos_ball")
  crank_enum=$(count $slider_crank_steps "$peer_dir/siconos_slider_crank" --solver enum)
  crank_lemke=$(count $slider_crank_steps "$peer_dir/siconos_slider_crank" --solver lemke)
fi

build_type=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
commit=$(git -C "$root" describe --always --dirty 2>/dev/null || true)
cat <<END
date: $(date -u +%Y-%m-%d)
machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(uname -sm), $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release)
compiler: $("$CXX" --version | head -n 1)
ricochet: ${commit:-unknown commit}, build type ${build_type:-unknown}
siconos: $(version libsiconos-kernel-dev) (Debian), programs built with $peer_flags, BLAS $(version libopenblas0-pthread), one thread
counter: $(valgrind --version), callgrind, Ir
ball: h = 5e-3 s, steps 2 to $((ball_steps + 1)), theta = 0.5, e = 0.9; Siconos: LCP by Lemke (its default)
slider-crank: h = 1e-5 s, steps 2 to $((slider_crank_steps + 1)), theta = 0.5, gamma = 0, e = 0.4, mu = 0.01; Siconos: Newton tolerance 1e-10, solver tolerance 1e-12
mujoco: $(version libmujoco-dev); bullet: $(version libbullet-dev); ode: $(version libode-dev) (Debian)
END
# Friction solvers on the public problems; what the peers did is kept in the build folder.
compare_solvers() {
  data=${RICOCHET_DATA:-$root/../shared/data}
  if [ ! -d "$data/fclib/text" ]; then
    say "the friction problems are not in $data, left out; set RICOCHET_DATA"
    return 0
  fi
  program=$(ours bench_solvers)
  if [ -z "$program" ] || [ ! -x "$peer_dir/siconos_friction" ]; then
    say "bench_solvers or siconos_friction is not built, left out"
    return 0
  fi
  say "comparing friction solvers; the first time takes half an hour"
  "$program" --peer "$peer_dir/siconos_friction" --cache "$build/benchmarks/siconos/friction.csv" \
    --profile "$build/benchmarks/friction-profile" "$data"/fclib/text/*.fc3d || status=1
}

# `auto` against every other solver of Ricochet, and Siconos' NSGS, on what it was slow on once.
compare_auto() {
  data=${RICOCHET_DATA:-$root/../shared/data}
  program=$(ours bench_auto)
  if [ ! -d "$data/found" ] || [ -z "$program" ] || [ ! -x "$peer_dir/siconos_friction" ]; then
    say "bench_auto, siconos_friction or $data/found is missing, left out"
    return 0
  fi
  "$program" --peer "$peer_dir/siconos_friction" "$data"/found/*.fc3d "$data"/found/*.fc2d || status=1
}

# Other engines on an incline and a four-bar linkage, beside Ricochet.
compare_engines() {
  engines_dir=$build/benchmarks/peers
  mkdir -p "$engines_dir"
  echo
  echo "incline 20 degrees, friction 0.5, 10 s; four-bar linkage, 5 s; all at 1 kHz, processor time"
  program=$(ours bench_peers)
  if [ -z "$program" ]; then
    say "bench_peers is not built, left out"
  else
    "$program" || status=1
  fi
  for engine in mujoco:libmujoco-dev bullet:libbullet-dev ode:libode-dev; do
    name=${engine%%:*}
    package=${engine##*:}
    if [ -z "$(version "$package")" ]; then
      say "$name is missing, left out; apt-get install $package"
      continue
    fi
    case $name in
      mujoco) flags=-lmujoco ;;
      *) flags=$(pkg-config --cflags --libs "$name") ;;
    esac
    # The flags are lists of words.
    # shellcheck disable=SC2086
    if "$CXX" $peer_flags "$here/peers/$name.cpp" -o "$engines_dir/$name" $flags; then
      "$engines_dir/$name" || status=1
    else
      say "$name did not build"
      status=1
    fi
  done
}

# Piles at rest in every engine: a line each, and the figure. The programs are those of compare_engines; Bullet's is built
# anew with Debian's double precision.
compare_piles() {
  engines_dir=$build/benchmarks/peers
  table=$build/benchmarks/piles.csv
  : >"$table"
  if [ -n "$(version libbullet-dev)" ]; then
    # shellcheck disable=SC2046
    "$CXX" $peer_flags "$here/peers/bullet.cpp" -o "$engines_dir/bullet" $(pkg-config --cflags --libs bullet-float64) ||
      status=1
  fi
  for program in "$(ours bench_peers)" "$engines_dir/mujoco" "$engines_dir/bullet" "$engines_dir/ode"; do
    if [ ! -x "$program" ]; then continue; fi
    say "piles: ${program##*/}; all of them take half an hour"
    "$program" piles >>"$table" || status=1
  done
  cat "$table"
  if [ -n "$(ours bench_piles_plot)" ]; then "$(ours bench_piles_plot)" "$table" >"$build/benchmarks/piles.svg"; fi
  # The contact problem of the first step of 25 and of 250 columns, by Siconos and by Ricochet.
  if [ ! -x "$peer_dir/siconos_friction" ] || [ ! -x "$build/ricochet" ]; then return 0; fi
  for columns in 25 250; do
    problems=$build/benchmarks/columns$columns
    "$(ours bench_piles)" --text columns $columns >"$problems.yaml"
    "$build/ricochet" run "$problems.yaml" --until 1e-3 --no-output --dump-problems steps=0:0 --dump-to "$problems" >/dev/null
    "$build/ricochet" solve "$problems/step000000-1.cones" --convert "$problems.fc3d"
    for tolerance in 1e-4 1e-8; do
      for solver in nsgs-ac nsgs-projection; do
        echo "$columns columns, siconos $solver to $tolerance: $("$peer_dir/siconos_friction" "$problems.fc3d" $solver $tolerance 60)"
      done
      "$build/ricochet" solve "$problems.fc3d" --tolerance $tolerance | tail -n 1
    done
  done
}

# The first 2.4 ms of the slider-crank, which moves freely: what the schemes make of its energy.
compare_energy() {
  echo
  echo "slider-crank, free motion to 2.4 ms, h = 1e-5 s, 7.5 J"
  if [ -n "$(ours bench_slider_crank)" ]; then "$(ours bench_slider_crank)" 240 | sed 's/^/ricochet: /'; fi
  if [ -x "$peer_dir/siconos_slider_crank" ]; then
    "$peer_dir/siconos_slider_crank" 240 --check | sed -n 's/^energy gain up to/siconos: energy gain up to/p'
  fi
}

if ! $short; then
  echo
  echo "instructions per step, recording off"
  echo "| example | Siconos' solver | Ricochet | Siconos | Siconos / Ricochet |"
  echo "| --- | --- | ---: | ---: | ---: |"
  row "bouncing ball" lemke "$ball_ours" "$ball_peer"
  row slider-crank enum "$crank_ours" "$crank_enum"
  row slider-crank lemke "$crank_ours" "$crank_lemke"
fi
compare_energy
compare_engines
if ! $short; then
  compare_piles
  compare_solvers
  compare_auto
fi
exit $status
