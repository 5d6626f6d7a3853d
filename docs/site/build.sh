#!/bin/sh
# docs/site/build.sh PROGRAM FOLDER: the documents as pages. Markdown by cmark-gfm; the reference of the commands from the
# program's own help; links between documents become links between pages.
set -eu
program=$1
out=$2
here=$(dirname -- "$(readlink -f -- "$0")")
root=$(dirname -- "$(dirname -- "$here")")

# file | title in the menu
pages="README.md|Ricochet
docs/getting-started.md|Getting started
docs/tutorial.md|Tutorial
docs/mechanisms.md|Mechanisms
docs/kinds.md|Kinds side by side
docs/cli.md|Commands
docs/cli-reference.md|Command reference
docs/scenario-reference.md|Scenario keys
docs/schemes.md|Schemes"
# Every other document, by its first heading.
for file in "$root"/docs/*.md; do
  name=docs/$(basename "$file")
  printf '%s\n' "$pages" | grep -q "^$name|" || pages="$pages
$name|$(sed -n 's/^# //p' "$file" | head -n 1 | tr -d '`')"
done
pages="$pages
ARCHITECTURE.md|Architecture
CONTRIBUTING.md|Contributing"

page_of() {
  case $1 in
    README.md) echo index.html ;;
    *) echo "$(basename "$1" .md).html" ;;
  esac
}

menu() {
  printf '%s\n' "$pages" | while IFS='|' read -r file title; do
    printf '<a href="%s"%s>%s</a>\n' "$(page_of "$file")" "$([ "$file" = "$1" ] && printf ' class="here"')" "$title"
  done
  [ ! -d "$out/gallery" ] || printf '<a href="gallery/index.html">Gallery of the papers</a>\n'
}

# Links to documents: their pages; links to other files of the project: their names alone. Numbers of tables stay in one
# piece: a browser would break 1e-3 after its sign.
links() {
  sed -E \
    -e '/^<td/ s#[0-9]+(\.[0-9]+)?e-[0-9]+#<span class="n">&</span>#g' \
    -e 's#href="(\.\./)*(docs/)?README\.md#href="index.html#g' \
    -e 's#href="(\.\./)*(docs/)?([A-Za-z0-9_-]+)\.md(\#[^"]*)?"#href="\3.html\4"#g' \
    -e 's#<a href="(\.\./)*benchmarks/README\.md[^"]*">([^<]*)</a>#\2#g' \
    -e 's#src="docs/#src="#g'
}

commands() {
  echo "# Command reference"
  echo
  echo "What the program itself says to \`--help\`."
  "$program" list commands | awk '$1 != "command" && NF > 1 && /^[a-z]/ { print $1 }' | while read -r name; do
    printf '\n## ricochet %s\n\n```text\n' "$name"
    "$program" "$name" --help
    printf '```\n'
  done
}

rm -rf "$out/images"
mkdir -p "$out"
cp -r "$root/docs/images" "$out/images"
printf '%s\n' "$pages" | while IFS='|' read -r file title; do
  {
    printf '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    printf '<meta name="viewport" content="width=device-width,initial-scale=1"><title>%s</title>' "$title"
    printf '<link rel="icon" href="data:,"><style>'
    cat "$here/style.css"
    printf '</style></head><body><nav>\n'
    menu "$file"
    printf '</nav><main>\n'
    if [ "$file" = docs/cli-reference.md ]; then commands; else cat "$root/$file"; fi |
      sed -E 's/^```([a-z]+) .*/```\1/' | cmark-gfm --unsafe -e table -e autolink -e strikethrough | links |
      # Headings get the anchors that the documents' links use.
      awk '{
        while (match($0, /<h[2-4]>[^\n]*<\/h[2-4]>/)) {
          heading = substr($0, RSTART, RLENGTH); id = heading
          gsub(/<[^>]*>/, "", id); id = tolower(id); gsub(/[^a-z0-9 _-]/, "", id); gsub(/ /, "-", id)
          $0 = substr($0, 1, RSTART + 2) " id=\"" id "\"" substr($0, RSTART + 3)
        }
        print
      }'
    printf '</main></body></html>\n'
  } >"$out/$(page_of "$file")"
done
