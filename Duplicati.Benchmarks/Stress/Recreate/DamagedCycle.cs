// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>
/// The end of a cycle whose volumes are damaged. What the database of before says of them decides what a new one may lack: everything else
/// must be in it and be restored as it was, and what is lost must be reported.
/// </summary>
/// <param name="cycle">The cycle.</param>
/// <param name="checks">Its checks.</param>
/// <param name="history">Backs up once more at the end.</param>
internal sealed class DamagedCycle(CycleContext cycle, CycleChecks checks, StressHistory history)
{
    private const int Restored = 2;

    // A purge gives each row of metadata that is lost the same other content; a database made anew has one row for it.
    private readonly DumpComparisonOptions m_purged = checks.LogicalWithout(DumpNames.Metadatasets);

    // Index volumes are gone, or other ones are needed; blocks that nothing uses are looked for in no block volume.
    private readonly DumpComparisonOptions m_withoutIndexes = checks.LogicalWithout(
        DumpNames.RemoteVolumes,
        DumpNames.IndexBlockLinks,
        DumpNames.DeletedBlocks
    );

    /// <summary>Damages volumes and recreates.</summary>
    public async Task RunAsync(CancellationToken token)
    {
        var random = new Random(cycle.Plan.Seed + 2);
        var before = DatabaseDump.Load(cycle.Database);
        var volumes = new LostEntries(cycle.Database);
        var versions = await cycle.Model.ListAsync(cycle.Database, token);
        var damages = VolumeDamages.Do(cycle.Remote, cycle.Plan.Damages, random, cycle.Log);
        cycle.Counts.Note(
            "damages",
            damages.RemovedBlocks.Count + damages.DamagedBlocks.Count + damages.Indexes.Count + damages.Lists.Count
        );
        var gone = before.Filesets.Where(x => damages.Lists.Contains(x.Volume!)).Select(x => x.Timestamp).ToHashSet();

        var (database, _, isBroken) = await checks.RecreateAsync([], token);
        CompareVersions(before, DatabaseDump.Load(database), gone);
        var most = volumes.Without(damages.RemovedBlocks.Union(damages.DamagedBlocks).ToHashSet(), countsUnused: false);
        var least = volumes.Without(damages.RemovedBlocks, countsUnused: true).Where(x => !gone.Contains(x.Timestamp)).ToHashSet();
        if (isBroken ? most.Count + gone.Count == 0 : least.Count > 0)
            throw new StressFailure(
                "recreate of damaged volumes",
                [
                    isBroken
                        ? "files are broken, though nothing is lost"
                        : FormattableString.Invariant($"{least.Count} entries are lost, and were not reported"),
                ]
            );

        if (damages.Lists.Count + damages.RemovedBlocks.Count + damages.DamagedBlocks.Count == 0)
            await checks.CompareAsync(database, "recreate without some index volumes", m_withoutIndexes, token);
        cycle.Database = database;
        var touched = volumes.In(damages.RemovedBlocks.Union(damages.DamagedBlocks).ToHashSet());
        var damaged = volumes.In(damages.DamagedBlocks);
        var wasPurged = !isBroken || await PurgeAsync(versions, least, most, damaged, gone, token);
        if (!isBroken)
            await RestoreSomeAsync(versions, touched, gone, random, token);
        if (wasPurged && damages.IsRemovalOnly)
            await GoOnAsync(isBroken ? m_purged : checks.LogicalWithout(), token);
    }

    // A damaged list may be read all the same, or leave a version that is marked partial, with the entries before the damage, and altered
    // ones where the damage can be read.
    private static void CompareVersions(DatabaseDump before, DatabaseDump after, HashSet<long> gone)
    {
        var found = after.Filesets.ToDictionary(x => x.Timestamp, Lines);
        var known = before.Filesets.ToDictionary(x => x.Timestamp, Lines);
        StressFailure.Require(
            "versions after damage",
            known
                .Keys.Where(x => !gone.Contains(x) && !found.ContainsKey(x))
                .Select(x => FormattableString.Invariant($"the version of {x} is missing"))
        );
        StressFailure.Require(
            "versions after damage",
            found.Keys.Where(x => !known.ContainsKey(x)).Select(x => FormattableString.Invariant($"a version of {x} never was"))
        );
        var partial = after.Filesets.Where(x => x.IsFull == 0 && gone.Contains(x.Timestamp)).Select(x => x.Timestamp).ToHashSet();
        foreach (var (time, lines) in found.Where(x => !partial.Contains(x.Key)))
        {
            StressFailure.Require(
                FormattableString.Invariant($"version of {time} after damage"),
                known[time].Except(lines).Select(x => $"- {x}").Concat(lines.Except(known[time]).Select(x => $"+ {x}"))
            );
        }
    }

    private static HashSet<string> Lines(DumpFileset fileset) =>
        [.. fileset.Entries.Select(x => DumpNormalizer.Normalize(x, DumpComparisonOptions.Logical).ToString())];

    // False if nothing can be purged because nothing would be left, or a version has no second between its neighbours.
    private async Task<bool> PurgeAsync(
        IReadOnlyList<FoundVersion> versions,
        HashSet<VersionEntry> least,
        HashSet<VersionEntry> most,
        HashSet<VersionEntry> damaged,
        HashSet<long> gone,
        CancellationToken token
    )
    {
        var listed = await new ListBrokenFilesOperation(cycle.Options, cycle.Log).RunAsync(token);
        var broken = listed
            .SelectMany(version =>
                version.Files.Select(file => new VersionEntry(new DateTimeOffset(version.Time).ToUnixTimeSeconds(), file.Path))
            )
            .ToHashSet();
        StressFailure.Require("broken files", least.Except(broken).Select(x => $"{x} is lost and not reported"));
        StressFailure.Require(
            "broken files",
            broken.Except(most).Where(x => !gone.Contains(x.Timestamp)).Select(x => $"{x} is reported and not lost")
        );
        cycle.Counts.Note("entries lost and reported", broken.Count);
        PurgeReport report;
        try
        {
            report = await new PurgeBrokenFilesOperation(cycle.Options, cycle.Log).RunAsync(token);
        }
        catch (UserInformationException ex) when (ex.HelpID is "AllFilesetsBroken" or "NoFreeFilelistName")
        {
            cycle.Log.Message(ex.Message);
            return false;
        }

        var times = report.Rewritten.ToDictionary(x => Seconds(x.NewTime), x => Seconds(x.Time));
        var stamps = versions.ToDictionary(x => x.Timestamp);
        var dropped = report.Deleted.Select(Seconds).Concat(gone).ToHashSet();
        var found = await cycle.Model.ListAsync(cycle.Database, token);
        var old = found.ToDictionary(x => x, x => stamps[times.GetValueOrDefault(x.Timestamp, x.Timestamp)]);
        StressFailure.Require(
            "versions after a purge",
            versions
                .Where(x => !dropped.Contains(x.Timestamp) && !old.ContainsValue(x))
                .Select(x => FormattableString.Invariant($"the version of {x.Timestamp} is missing"))
        );
        foreach (var (version, was) in old.Where(x => x.Key.IsFull || !gone.Contains(x.Value.Timestamp)))
        {
            var lost = was.Keys.Except(version.Keys).ToHashSet();
            StressFailure.Require(
                "purge",
                lost.Where(key => !IsIn(broken, was, key)).Select(key => $"{key} was removed and was not broken")
            );
            cycle.Model.Remove([was], (_, key) => lost.Contains(key));
            // Links keep their place with other metadata, which cannot say where they led. What is in a damaged volume turns out only now.
            await checks.RestoreAsync(
                cycle.Database,
                version with
                {
                    Stamp = was.Stamp,
                },
                isExact: false,
                key => (IsLink(was, key) && IsIn(broken, was, key)) || IsIn(damaged, was, key),
                token
            );
        }

        return true;
    }

    private bool IsIn(HashSet<VersionEntry> entries, FoundVersion version, string key) =>
        entries.Contains(new VersionEntry(version.Timestamp, cycle.Model.PathOf(key)));

    private bool IsLink(FoundVersion version, string key) =>
        cycle.Model.Expected(version)?.Entries.GetValueOrDefault(key) is not { Kind: "file" or "folder" };

    private static long Seconds(DateTime time) => new DateTimeOffset(time).ToUnixTimeSeconds();

    private async Task RestoreSomeAsync(
        IReadOnlyList<FoundVersion> versions,
        HashSet<VersionEntry> touched,
        HashSet<long> gone,
        Random random,
        CancellationToken token
    )
    {
        var stamps = versions.ToDictionary(x => x.Timestamp, x => x.Stamp);
        var found = (await cycle.Model.ListAsync(cycle.Database, token))
            .Where(x => x.Keys.Count > 0 && (x.IsFull || !gone.Contains(x.Timestamp)))
            .ToArray();
        random.Shuffle(found);
        foreach (var version in found.Take(Restored))
        {
            var chosen = version with { Stamp = stamps[version.Timestamp] };
            await checks.RestoreAsync(cycle.Database, chosen, touched.Count == 0, key => IsIn(touched, version, key), token);
        }
    }

    // What is left is a backup like any other.
    private async Task GoOnAsync(DumpComparisonOptions options, CancellationToken token)
    {
        await history.BackUpAsync(new Random(cycle.Plan.Seed + 3), 0, token);
        await checks.VerifyAsync("after damage and a backup", token);
        var newest = (await cycle.Model.ListAsync(cycle.Database, token))[0];
        await checks.RestoreAsync(cycle.Database, newest, isExact: true, _ => false, token);
        await checks.RecreateEqualAsync([], "after damage and a backup", options, token);
    }
}
