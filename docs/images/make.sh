#!/bin/sh
# The moving pictures of README.md and the pictures of docs/viewer.md and docs/getting-started.md, made anew:
#   docs/images/make.sh [PROGRAM]
# Needs what `./dev build` leaves in build/, and chromium.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${1:-$root/build/ricochet}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RICOCHET_VIEWER="$root/build/viewer"

# page SCENARIO NAME [OPTION...]: runs a scenario and exports its page
page() {
  scenario=$1
  name=$2
  shift 2
  "$program" run "$scenario" "$@" -o "$work/$name.h5" >/dev/null
  "$program" view "$work/$name.h5" --export "$work/$name.html" >/dev/null
}
page slider-crank-play play --until 0.045 --record-every 10
page breaker-play breaker --record-every 5
page slider-crank crank
node "$root/tests/viewer/moving.mjs" "$work/play.html" "$root/docs/images/slider-crank-play.png" 0 0.044 44 \
  '#theme=light&magnify=1.25&show=contacts.forces.trails'
node "$root/tests/viewer/moving.mjs" "$work/breaker.html" "$root/docs/images/breaker-play.png" 0 0.075 50 \
  '#theme=light&show=contacts.forces'
node "$root/tests/viewer/picture.mjs" "$work/crank.html" "$root/docs/images/slider-crank-viewer.png" '#t=0.0412&theme=light'
"$program" report "$work/crank.h5" -o "$work/report.html" >/dev/null
chromium --headless --no-sandbox --hide-scrollbars --window-size=1100,1480 \
  --screenshot="$root/docs/images/slider-crank-report.png" "file://$work/report.html" >/dev/null 2>&1
