#!/usr/bin/env bash
# Lets Stryker change operators, conditions and statements of the data layer, one after the other, in a copy of the sources, and run the
# tests that reach each. What no test notices is a hole in the tests, or says the same in other words. mutate.sh has the breaks that mean
# something.
#
#   stryker.sh [PART [GLOB…]]
#
# PART: helper, blocks, session, volumes or delete; all without one. GLOB: only these files of the part, such as WriterQueue/WorkQueue.cs.
# What was found is in artifacts/stryker/PART/reports. Exit codes: 0 done, 2 wrong command line, else that of Stryker.
set -euo pipefail
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 MSBUILDDISABLENODEREUSE=1
# Milliseconds: Stryker gives up on a loaded machine when "dotnet --info" takes long.
export DOTNET_INFO_WAIT_TIME=120000

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(git -C "$here" rev-parse --show-toplevel)
helper=Duplicati.Library.SQLiteHelper
layer=Duplicati.Library.Main.Database

# Sets the project, its files, and the classes of tests that go with them. None of them starts a process or measures.
part() {
  case $1 in
    helper)
      project=$helper files=('Statements/StatementCache.cs' 'WriterQueue/*.cs')
      tests='SQLiteHelper.Statements|SQLiteHelper.WriterQueue|ConcurrentDatabaseTests' ;;
    blocks)
      project=$layer files=('Domains/Blocks/*.cs')
      tests='Main.Blocks|Main.Batch|BackupBlockTests|UpdateBlockTests|LocalDatabaseTests.BlockTests|Recreate.StructureTests|MassDeletionTests' ;;
    session)
      project=$layer files=('Session/*.cs')
      tests='Main.Session|ReusableTransactionTests|LocalDatabaseTests.TransactionTests|LocalDatabaseTests.CancelTests|LocalDatabaseTests.FaultTests|DeferredIndexesTests|EachIndexTests|BlockIndexesTests|FilteredFilenameTests|QueryStatisticsTests' ;;
    volumes)
      project=$layer files=('Domains/Volumes/*.cs')
      tests='Main.Volumes|LocalDatabaseTests.Volume|BackupVolumeTests|Recreate.VolumeTests|CompactBookingTests|LostUpdateTests|ToldPairsTests' ;;
    delete)
      project=$layer files=('Operations/Delete/*.cs')
      tests='Main.Delete|LocalDatabaseTests.FilesetTests' ;;
    *) return 2 ;;
  esac
}

# $1 part, then globs.
run() {
  local project files tests glob globs=()
  part "$1" || { sed -n 2,9p "$0" >&2; exit 2; }
  [ $# -eq 1 ] || files=("${@:2}")
  for glob in "${files[@]}"; do globs+=(--mutate "$glob"); done
  tests="(FullyQualifiedName~${tests//|/|FullyQualifiedName~})"
  for glob in Kill kill HeldConnection Stress UpgradeFailure; do tests="$tests&FullyQualifiedName!~$glob"; done
  dotnet stryker --config-file ../Duplicati.UnitTest/Reliability/Mutations/stryker.yaml --project "$project.csproj" "${globs[@]}" \
    --test-case-filter "$tests&TestCategory!=Long&TestCategory!=Rclone" --concurrency "$(nproc)" \
    --reporter Dots --reporter ClearText --reporter Json --reporter Html --output "$root/artifacts/stryker/$1" --skip-version-check
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What git knows, and what it would take.
(cd "$root" && git ls-files -z --cached --others --exclude-standard | tar cf - --null --ignore-failed-read -T - 2>/dev/null) | tar xf - -C "$work"
cd "$work/Duplicati.UnitTest"
# Stryker does not see the framework that Directory.Build.props sets, nor a project that is only referred to through another one; and
# nothing can be listed as a dependency in a build that compiles nothing, by which it looks at the projects.
find "$work" -name '*.csproj' -exec sed -i '0,/<PropertyGroup>/s//&<TargetFramework>net10.0<\/TargetFramework>/' {} +
sed -i '0,/<PropertyGroup>/s//&<GenerateDependencyFile Condition="'"'\$(DesignTimeBuild)' == 'true'"'">false<\/GenerateDependencyFile>/' ../Directory.Build.props
sed -i -e '/samples\//d' -e "s/<ProjectReference Include=.*Duplicati\.Engine\.csproj.*/&$(printf '<ProjectReference Include="..\\/%s\\/%s.csproj" \\/>' $helper $helper $layer $layer)/" Duplicati.UnitTest.csproj
dotnet tool restore >&2
if [ $# -gt 0 ]; then
  run "$@"
else
  for name in helper blocks session volumes delete; do run "$name"; done
fi
