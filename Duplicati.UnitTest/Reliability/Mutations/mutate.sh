#!/usr/bin/env bash
# Holds the tests to what they are for: breaks one line of a copy of the sources, builds, and runs the tests that matter; then the next line.
# A break that no test notices is a hole in the tests. The breaks are in breaks.txt.
#
#   mutate.sh [WORDS…]
#
# WORDS: only the breaks whose name has one of them. The copy is made in the system's temporary folder, and removed.
#
# A row of a table a break on stdout, the rest on stderr. Exit codes: 0 all noticed, 1 some not, 2 wrong command line, 3 the copy cannot be built or tested as it is.
set -uo pipefail
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 MSBUILDDISABLENODEREUSE=1

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(git -C "$here" rev-parse --show-toplevel) || exit 3
if [[ ${1:-} == -* ]]; then
  sed -n 2,9p "$0" >&2
  exit 2
fi
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
copy=$work/copy log=$work/log

build() {
  (cd "$copy" && dotnet build Duplicati.UnitTest -c Release --nologo -v quiet -p:RunAnalyzers=false -p:GenerateDocumentationFile=false) >"$log" 2>&1
}

# $1: classes, or starts of names of tests, that are separated by bars.
run() {
  (cd "$copy" && timeout 900 dotnet test Duplicati.UnitTest -c Release --no-build --nologo --filter "TestCategory!=Long&TestCategory!=Rclone&(FullyQualifiedName~.${1//|/|FullyQualifiedName~.})") >"$log" 2>&1
}

# $1 file, $2 text, $3 what takes its place. The text has to be there once.
replace() {
  local content rest
  content=$(cat "$copy/$1" && echo x) || return 1
  content=${content%x}
  rest=${content#*"$2"}
  [ "$rest" != "$content" ] && [[ $rest != *"$2"* ]] || return 1
  printf '%s' "${content%%"$2"*}$3$rest" >"$copy/$1"
}

# The tests that failed, if any, or what else ended the run that exited with $1.
noticed() {
  local failed count
  failed=$(grep -oE '^ +Failed [A-Za-z0-9_]+' "$log" | awk '{ print $2 }' | sort -u)
  count=$(grep -c . <<<"$failed")
  case $count in
    0) if [ "$1" = 124 ]; then echo "the tests did not end"; elif grep -q aborted "$log"; then echo "the tests were aborted"; fi ;;
    1) echo "\`$failed\`" ;;
    *) echo "\`$(head -n 1 <<<"$failed")\` and $((count - 1)) more" ;;
  esac
}

# $1 name, $2 file, $3 text, $4 what takes its place, $5 tests. Prints the row of the table.
try() {
  local by=''
  cp "$copy/$2" "$work/whole"
  if ! replace "$2" "${3//\\n/$'\n'}" "${4//\\n/$'\n'}"; then
    echo "| $1 | does not fit the sources |"
    return 1
  fi
  if build; then
    run "$5"
    by=$(noticed $?)
  else
    echo "It does not compile:" >&2
    grep -m 3 error "$log" >&2
  fi
  # Not from the sources, which somebody may change meanwhile.
  cp "$work/whole" "$copy/$2"
  echo "| $1 | ${by:-**nothing**} |"
  [ -n "$by" ]
}

# What git knows, and what it would take.
mkdir "$copy" && (cd "$root" && git ls-files -z --cached --others --exclude-standard | tar cf - --null --ignore-failed-read -T - 2>/dev/null) | tar xf - -C "$copy"
echo "Building a copy as it is" >&2
build || { tail -n 20 "$log" >&2; exit 3; }

# Whether the name $1 has one of the words that follow, if there are any.
wanted() {
  local word name=$1
  shift
  [ $# -gt 0 ] || return 0
  for word; do
    [[ $name != *"$word"* ]] || return 0
  done
  return 1
}

found=0 all=0 name='' file='' from='' to='' every=''
while IFS= read -r line || [ -n "$line" ]; do
  text=${line:2}
  case $line in
    '= '*) name=$text ;;
    ': '*) file=$text ;;
    '- '*) from=$text ;;
    '+'*) to=$text ;;
    '? '*)
      wanted "$name" "$@" || continue
      every="$every|$text" all=$((all + 1))
      echo "$all: $name" >&2
      try "$name" "$file" "$from" "$to" "$text" && found=$((found + 1)) ;;
  esac
done <"$here/breaks.txt"

# Tests that fail anyway have noticed nothing.
echo "Running the same tests on the copy as it is" >&2
if ! build || ! run "$(tr '|' '\n' <<<"${every#|}" | sort -u | paste -sd'|')"; then
  grep -E '^ +Failed |error' "$log" >&2
  exit 3
fi
echo "$found of $all breaks were noticed" >&2
[ "$found" = "$all" ]
