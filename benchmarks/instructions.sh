#!/bin/sh
# Instructions per step of a program, counted by callgrind.
#
#   instructions.sh [-a FIRST] [-b LAST] PROGRAM [ARGUMENT...]
#
# The program is run twice, as PROGRAM FIRST ARGUMENT... and PROGRAM LAST ARGUMENT..., where its first argument is the
# number of steps. The answer is (Ir(LAST) - Ir(FIRST)) / (LAST - FIRST), rounded: loading, set-up and closing, which
# both runs do once, cancel. FIRST is 1 and not 0 because the first step may do set-up that was put off.
# Prints one number, or a message and exit status 1 (could not count) or 2 (bad arguments).
set -eu

first=1
last=2001
while getopts a:b: option; do
  case $option in
    a) first=$OPTARG ;;
    b) last=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

if [ $# -lt 1 ]; then
  echo "usage: instructions.sh [-a FIRST] [-b LAST] PROGRAM [ARGUMENT...]" >&2
  exit 2
fi
for number in "$first" "$last"; do
  case $number in
    '' | *[!0-9]*)
      echo "instructions.sh: '$number' is no number of steps; a whole number is accepted" >&2
      exit 2
      ;;
  esac
done
if [ "$last" -le "$first" ]; then
  echo "instructions.sh: LAST ($last) must be larger than FIRST ($first)" >&2
  exit 2
fi

program=$1
shift

# One thread everywhere: idle workers of a parallel BLAS spin, and callgrind would count that.
OPENBLAS_NUM_THREADS=1
OMP_NUM_THREADS=1
export OPENBLAS_NUM_THREADS OMP_NUM_THREADS

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# count STEPS [ARGUMENT...]: all instructions of one run
count() {
  if ! valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" "$program" "$@" >/dev/null; then
    echo "instructions.sh: '$program $*' failed under valgrind:" >&2
    tail -n 5 "$log" >&2
    return 1
  fi
  collected=$(awk '/Collected *:/ { print $NF }' "$log")
  if [ -z "$collected" ]; then
    echo "instructions.sh: no count in the output of valgrind for '$program $*'" >&2
    return 1
  fi
  echo "$collected"
}

few=$(count "$first" "$@") || exit 1
many=$(count "$last" "$@") || exit 1
awk -v few="$few" -v many="$many" -v steps=$((last - first)) 'BEGIN { printf "%.0f\n", (many - few) / steps }'
