#!/usr/bin/env bash
# Copyright (c) 2026 The contributors of the Duplicati data layer
# SPDX-License-Identifier: MIT
#
# afl-fuzz on the readers of what comes from a remote folder: fuzz/run.sh [TARGET [SECONDS]]. All of them, an hour each, if none is named.
# Begins with the corpus of the tests, or goes on where artifacts/fuzz/TARGET is. With `keep` in place of the seconds what was found is
# made small and put into the corpus. Linux on x64, with AFL++ (apt-get install afl++).
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/artifacts/fuzz app=$PWD/artifacts/fuzz/app
corpus=$PWD/Duplicati.UnitTest/Engine/Fuzz/Corpus
command -v afl-fuzz >/dev/null || { echo "afl-fuzz is not there: apt-get install afl++" >&2; exit 3; }

# dotnet is no program of AFL's compiler; a slow machine is no hang; a runtime reserves much more memory than it uses.
export AFL_SKIP_BIN_CHECK=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_AUTORESUME=1
export AFL_FORKSRV_INIT_TMOUT=120000 DOTNET_GCHeapHardLimit=0x20000000
limits=(-t 10000 -m none)

# The libraries' readers are followed as well; of the framework's the machine code must go before.
build() {
  rm -rf "$out/plain" "$app"
  dotnet publish fuzz/Duplicati.Fuzz -c Release -r linux-x64 --self-contained -p:RunAnalyzers=false -o "$out/plain" -v quiet --nologo
  [ -x "$out/tool/sharpfuzz" ] || dotnet tool install SharpFuzz.CommandLine --version 2.3.0 --tool-path "$out/tool" >/dev/null
  cp -r "$out/plain" "$app"
  "$out/plain/Duplicati.Fuzz" managed "$app/System.IO.Compression.dll"
  "$out/plain/Duplicati.Fuzz" managed "$app/System.Text.Json.dll"
  "$out/tool/sharpfuzz" "$app/Duplicati.Engine.dll" Duplicati.Engine.Volumes Duplicati.Engine.Encryption
  "$out/tool/sharpfuzz" "$app/System.IO.Compression.dll"
  "$out/tool/sharpfuzz" "$app/SharpCompress.dll" SharpCompress.Compressors
  "$out/tool/sharpfuzz" "$app/ZstdSharp.dll"
  "$out/tool/sharpfuzz" "$app/System.Text.Json.dll" System.Text.Json.Utf8JsonReader System.Text.Json.JsonReaderHelper
}

run() {
  mkdir -p "$out/$1"
  timeout -s INT -k 60 "$2" afl-fuzz -i "$corpus/$1" -o "$out/$1" -G 65536 "${limits[@]}" "$app/Duplicati.Fuzz" "$1" >"$out/$1.log" 2>&1 || true
  grep -E '^(run_time|execs_done|corpus_count|saved_crashes|saved_hangs)' "$out/$1/default/fuzzer_stats" || { tail -n 20 "$out/$1.log"; exit 1; }
}

# One input a path, and every fault as small as it gets, named by content.
keep() {
  local found=$out/$1/default all=$out/$1/all small=$out/$1/small
  rm -rf "$all" "$small"
  mkdir -p "$all"
  cp "$found"/queue/id* "$corpus/$1"/* "$all"
  afl-cmin -e -i "$all" -o "$small" "${limits[@]}" -- "$app/Duplicati.Fuzz" "$1"
  rm -f "$corpus/$1"/path-*
  for input in "$small"/*; do
    add "$1" path "$input"
  done
  # Those of runs that were gone on with are in folders with a time.
  for input in "$found"/crashes*/id* "$found"/hangs*/id*; do
    [ -e "$input" ] || continue
    afl-tmin -i "$input" -o "$out/$1/fault" "${limits[@]}" -- "$app/Duplicati.Fuzz" "$1" || cp "$input" "$out/$1/fault"
    add "$1" fault "$out/$1/fault"
  done
}

add() { cp "$3" "$corpus/$1/$2-$(sha256sum "$3" | cut -c 1-16)"; }

build
if [ $# = 0 ]; then
  for target in "$corpus"/*/; do
    echo "${target%/}"
    run "$(basename "$target")" 3600
  done
elif [ "${2-}" = keep ]; then
  keep "$1"
else
  run "$1" "${2-3600}"
fi
