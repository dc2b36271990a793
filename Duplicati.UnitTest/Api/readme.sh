#!/usr/bin/env bash
# Runs the blocks of README.md that are marked sh, in their order and in one shell, in a fresh clone of what is committed.
#
#   readme.sh            with small sizes where a command is heavy: half an hour
#   readme.sh --print    writes what it would run
#
# README_SIZES=full runs every command as it stands, which takes days. Exit codes: 0 all was done, 2 wrong command line, else that of the
# first command that failed, which is named.
set -euo pipefail
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(git -C "$here" rev-parse --show-toplevel)
if [ $# -gt 1 ] || [[ ${1:---print} != --print ]]; then
  sed -n 2,8p "$0" >&2
  exit 2
fi

# Remarks go, since something is put behind a command. PROGRAM stands for any that has Duplicati's command line.
blocks() {
  awk '/^```/ { inside = ($0 == "```sh"); next } inside' "$1" |
    sed -E -e 's/  +#.*$//' -e '/readme\.sh/d' -e 's/\bPROGRAM\b/$PWD\/artifacts\/program/g'
}

# A scale or a comparison that misses a goal ends with 1: so little data says nothing.
small() {
  sed -E \
    -e '/ e2e /{ s/--repeat [0-9]+//; s/$/ --repeat 1 --total 2mb --files 20/ }' \
    -e '/ micro .*--group/s/$/ -r 1/' \
    -e '/ techniques /s/$/ --blocks 10000 -r 1/' \
    -e '/ scale .*--versions/s/--versions .*$/--versions 10 --files 100 -r 1 || [ $? = 1 ]/' \
    -e '/ scale .*--blocks/{ s/0{4}\b//g; s/ -r 1//; s/$/ -r 1 || [ $? = 1 ]/ }' \
    -e '/ suite /s/$/ --step commits/' \
    -e '/ compare --results/{ s/  *$//; s/.*/& --manifest $PWD\/artifacts\/pinned.json --pin; & --manifest $PWD\/artifacts\/pinned.json || [ $? != 2 ]/ }' \
    -e '/ stress recreate/s/--until .*$/--cycles 1/' \
    -e '/ stress operations/s/--until .*$/--operations 2/' \
    -e '/fuzz.run/s/$/ aes 20 || [ $? = 3 ]/' \
    -e '/mutate\.sh/s/$/ "A purge makes"/' \
    -e '/stryker\.sh/s/$/ helper WriterQueue\/WorkQueue.cs/' \
    -e '/^dotnet test .*--filter/s/$/ --list-tests/' \
    -e '/^dotnet test [^"]*$/s/$/ --filter "FullyQualifiedName~EncodingTests"/'
}

commands() {
  if [ "${README_SIZES:-small}" = full ]; then blocks "$root/README.md"; else blocks "$root/README.md" | small; fi
}

if [ $# = 1 ]; then
  commands
  exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet "$root" "$work/clone"
cd "$work/clone"
mkdir -p artifacts
cat >artifacts/program <<'END'
#!/usr/bin/env bash
exec dotnet "$(dirname "$0")/../Duplicati.Benchmarks/bin/Release/net10.0/Duplicati.Benchmarks.dll" stand-in "$@"
END
chmod +x artifacts/program
{
  echo 'set -eo pipefail'
  echo "trap 'echo \"This failed: \$BASH_COMMAND\" >&2' ERR"
  commands
} >"$work/blocks"
# -v: each line is told before it is run.
bash -v "$work/blocks"
