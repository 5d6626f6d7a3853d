#!/bin/sh
# network_test.sh SOURCE CMAKE: the network is asked only for what is missing. Stand-ins for apt-get and npm write down
# that they were called.
set -eu
source=$1
cmake=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/build"

cat >"$scratch/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$scratch/apt"
exit 1
END
cat >"$scratch/bin/npm" <<END
#!/bin/sh
echo "\$*" >>"$scratch/npm"
mkdir -p dist && echo page >dist/index.html
END
chmod +x "$scratch/bin/apt-get" "$scratch/bin/npm"
PATH=$scratch/bin:$PATH
export PATH

fail() {
  echo "$*" >&2
  exit 1
}

# ./dev asks for a package that is not there, and for no other. clang-format is what `format` needs.
(cd "$source" && ./dev format --check) >"$scratch/log" 2>&1 || true
if [ "$(dpkg-query -W -f '${db:Status-Status}' clang-format 2>/dev/null)" = installed ]; then
  [ ! -e "$scratch/apt" ] || fail "apt-get was called though nothing is missing: $(cat "$scratch/apt")"
else
  grep -q install "$scratch/apt" || fail "a package is missing and nobody asked for it"
fi

# The packages of the page: fetched once, and again when their list has changed.
build_page() {
  "$cmake" -D NPM="$scratch/bin/npm" -D SOURCE="$1" -D BUILD="$scratch/build" -D PAGE="$scratch/page.html" \
    -P "$source/cmake/viewer.cmake" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
}
build_page "$source/viewer"
grep -q '^ci ' "$scratch/npm" || fail "the first build of the page fetches no packages"
rm "$scratch/npm"
build_page "$source/viewer"
! grep -q '^ci ' "$scratch/npm" || fail "packages that are there were fetched again"
grep -q 'run .*build' "$scratch/npm" || fail "the page was not built"
cp -r "$source/viewer" "$scratch/viewer"
echo >>"$scratch/viewer/package-lock.json"
rm "$scratch/npm"
build_page "$scratch/viewer"
grep -q '^ci ' "$scratch/npm" || fail "another list of packages, and nothing fetched"
