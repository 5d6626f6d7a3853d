#!/bin/sh
# Have steps become dearer? Counts the instructions per step of the programs that instructions.txt names and compares.
#
#   check.sh [--write] [BUILD_DIR]        BUILD_DIR: default build in the repository's root
#
# Exit status 1 when a program needs more than 1 % above its figure, or could not be counted; 2 when run wrongly.
# --write: the figures found take the place of those in the file. The counts repeat to the instruction with the same
# compiler and C++ library; with others they are figures of something else.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
table=$here/instructions.txt
write=no
if [ "${1:-}" = --write ]; then
  write=yes
  shift
fi
build=${1:-$(dirname -- "$here")/build}
if [ $# -gt 1 ] || [ ! -d "$build" ]; then
  echo "usage: check.sh [--write] [BUILD_DIR]" >&2
  exit 2
fi

status=0
new=$(mktemp)
trap 'rm -f "$new"' EXIT
while read -r program steps stored; do
  case $program in
    '' | '#'*)
      echo "$program${steps:+ $steps}${stored:+ $stored}" >>"$new"
      continue
      ;;
  esac
  found=$("$here/instructions.sh" -a 1 -b $((steps + 1)) "$build/benchmarks/$program") || exit 1
  change=$(awk -v a="$found" -v b="$stored" 'BEGIN { printf "%+.2f", 100 * (a - b) / b }')
  verdict=good
  if [ $((found * 100)) -gt $((stored * 101)) ]; then
    verdict="more than 1 % above"
    status=1
  fi
  printf '%-20s %9s instructions per step, %s stored, %s %%: %s\n' "$program" "$found" "$stored" "$change" "$verdict"
  echo "$program $steps $found" >>"$new"
done <"$table"
if [ $write = yes ]; then
  cat "$new" >"$table"
  exit 0
fi
exit $status
