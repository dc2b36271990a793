// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Crosswise;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Replay;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>Recreates, comparisons and restores of a cycle; each fails if something is not as it should be.</summary>
/// <param name="cycle">The cycle.</param>
internal sealed class CycleChecks(CycleContext cycle)
{
    private const string Part = ".incomplete";

    private int m_serial;

    /// <summary>The database and all volumes are sound.</summary>
    public async Task VerifyAsync(string when, CancellationToken token)
    {
        var report = await new VerifyOperation(cycle.Options, cycle.Log).RunAsync(false, token);
        StressFailure.Require($"verify {when}", report.Problems);
    }

    /// <summary>Makes a new database from the remote folder.</summary>
    /// <param name="kills">Recreates that are killed before, each after so many events.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Its path, what was read if that is known, and whether files are broken.</returns>
    public async Task<(string Database, RecreateReport? Report, bool IsBroken)> RecreateAsync(
        IReadOnlyCollection<int> kills,
        CancellationToken token
    )
    {
        var options = cycle.Options with { DatabasePath = cycle.File(FormattableString.Invariant($"recreated-{++m_serial}.sqlite")) };
        var killed = 0;
        foreach (var events in kills)
            killed += await KillAsync(options, events, token) ? 1 : 0;
        cycle.Counts.Note("recreates");
        if (File.Exists(options.DatabasePath) && killed < kills.Count)
            return (options.DatabasePath, null, false);

        try
        {
            var report = await new RecreateOperation(options, cycle.Log).RunAsync(token);
            cycle.Counts.Note("file lists read", report.Filelists);
            cycle.Counts.Note("index volumes read", report.IndexVolumes);
            cycle.Counts.Note("block volumes read", report.BlockVolumes);
            return (options.DatabasePath, report, false);
        }
        catch (UserInformationException ex) when (ex.HelpID == "DatabaseIsBrokenConsiderPurge")
        {
            cycle.Log.Message(ex.Message);
            return (options.DatabasePath, null, true);
        }
    }

    /// <summary>
    /// What two databases must agree on, without some sections. What an interrupted backup had recorded may have been given up; files of
    /// that stay until the next deletion, as with Duplicati.
    /// </summary>
    public DumpComparisonOptions LogicalWithout(params string[] sections)
    {
        string[] files = cycle.Plan.DropsInterrupted ? [DumpNames.FilesWithoutFileset] : [];
        var logical = DumpComparisonOptions.Logical;
        return logical with { IgnoredSections = logical.IgnoredSections.Concat(sections).Concat(files).ToHashSet(StringComparer.Ordinal) };
    }

    /// <summary>A new database holds what the present one does.</summary>
    /// <returns>Its path.</returns>
    public Task<string> RecreateEqualAsync(IReadOnlyList<int> kills, string when, CancellationToken token) =>
        RecreateEqualAsync(kills, when, LogicalWithout(), token);

    /// <summary>The same where something does not count.</summary>
    public async Task<string> RecreateEqualAsync(
        IReadOnlyList<int> kills,
        string when,
        DumpComparisonOptions options,
        CancellationToken token
    )
    {
        var (database, report, isBroken) = await RecreateAsync(kills, token);
        if (isBroken || report is { Problems: > 0 })
            throw new StressFailure(
                $"recreate {when}",
                [isBroken ? "files are broken" : FormattableString.Invariant($"{report!.Problems} volumes could not be read")]
            );
        if (cycle.Breaks)
            Falsify(database);
        await CompareAsync(database, $"recreate {when}", options, token);
        return database;
    }

    /// <summary>A database holds what the present one does.</summary>
    public async Task CompareAsync(string database, string what, DumpComparisonOptions options, CancellationToken token)
    {
        var differences = await DumpOperation.CompareAsync(cycle.Database, database, options, token);
        StressFailure.Require(what, differences.Select(x => x.ToString()));
    }

    /// <summary>What each peer makes holds the same, too.</summary>
    public async Task ComparePeersAsync(CancellationToken token)
    {
        foreach (var peer in cycle.Peers)
        {
            var hashes = new PeerOptions(
                null,
                [$"--block-hash-algorithm={cycle.Plan.BlockHash}", $"--file-hash-algorithm={cycle.Plan.FileHash}"]
            );
            var chosen = peer with { Options = [.. peer.Options, hashes] };
            var database = cycle.File($"{peer.Name}.sqlite");
            var (wrong, _) = await new CrossProgram(chosen, cycle.Plan.PeerOptions, cycle.Folder).RunAsync(
                TimedOperation.Recreate,
                new Step(cycle.Remote, database),
                token
            );
            StressFailure.Require($"recreate by {peer.Name}", wrong);
            cycle.Counts.Note("recreates by peers");
            await CompareAsync(database, $"recreate by {peer.Name}", LogicalWithout(), token);
        }
    }

    /// <summary>Restores a version and compares it with the source as it was.</summary>
    /// <param name="database">What to restore by.</param>
    /// <param name="version">The version.</param>
    /// <param name="isExact">Whether metadata must be as they were.</param>
    /// <param name="isExcused">Paths below the source that may be restored wrongly, if that is reported, or not at all.</param>
    /// <param name="token">Cancels.</param>
    public async Task RestoreAsync(
        string database,
        FoundVersion version,
        bool isExact,
        Func<string, bool> isExcused,
        CancellationToken token
    )
    {
        var target = cycle.File(FormattableString.Invariant($"restored-{++m_serial}"));
        cycle.Counts.Note("restores");
        var options = cycle.Options with { DatabasePath = database };
        var report = await new RestoreOperation(options, cycle.Log).RunAsync(target, version.Number, null, token);
        // A link to a folder has a separator at its end in the version, and none where it is to be made.
        var failed = report
            .Failed.Select(path => Path.TrimEndingDirectorySeparator(Path.GetRelativePath(target, path)))
            .ToHashSet(StringComparer.Ordinal);
        var what = FormattableString.Invariant($"restore of version {version.Number}");
        StressFailure.Require(
            what,
            failed.Where(key => !isExcused(key) && !isExcused(key + Path.DirectorySeparatorChar)).Select(key => $"{key} was not restored")
        );
        var restored = TreeManifest.Read(target).Without(key => failed.Contains(Path.TrimEndingDirectorySeparator(key)) || IsPart(key));
        var differences = cycle.Model.Differences(version, restored, isExact).Where(x => !(x.IsMissing && isExcused(x.Key)));
        StressFailure.Require(what, differences.Select(x => x.ToString()));
        Directory.Delete(target, recursive: true);

        // What could be restored of a file that failed.
        bool IsPart(string key) => key.EndsWith(Part, StringComparison.Ordinal) && failed.Contains(key[..^Part.Length]);
    }

    private async Task<bool> KillAsync(EngineOptions options, int events, CancellationToken token)
    {
        cycle.Counts.Note(CycleCounts.Kills);
        var end = await KilledOperation.StartAsync(
            new KillRequest(new StressWork(StressWork.Recreate, [], []), options, events, 0),
            cycle.Folder,
            token
        );
        cycle.Counts.Note(CycleCounts.Hits, end.WasKilled ? 1 : 0);
        // One that had ended leaves a database, which a later one must not touch.
        if (end.Failure is { } failure && !failure.StartsWith("RecreateTargetDatabaseExists", StringComparison.Ordinal))
            throw new StressFailure("recreate that was to be killed", [failure]);
        return end.WasKilled;
    }

    private static void Falsify(string database)
    {
        using var connection = new SqliteConnection(
            new SqliteConnectionStringBuilder { DataSource = database, Pooling = false }.ToString()
        );
        connection.Open();
        using var command = connection.CreateCommand();
        command.CommandText = StressSql.FALSIFY;
        command.ExecuteNonQuery();
    }
}
