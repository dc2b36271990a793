// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Scripts;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Check;

/// <summary>Looks at a database in itself, as it is.</summary>
internal static class DatabaseCheck
{
    private const long LargestFree = 1 << 20;
    private const long FreePercent = 25;
    private const long RowsWorthStatistics = 1000;

    /// <summary>
    /// Everything that is not as it should be. Nothing but the damage if pages are damaged, as what is read from them may look like an
    /// answer.
    /// </summary>
    internal static async Task<List<CheckFinding>> RunAsync(
        string file,
        string path,
        DatabaseFindings findings,
        bool quick,
        CancellationToken token
    )
    {
        var damage = await DatabaseIntegrity.CheckAsync(file, quick, token).ConfigureAwait(false);
        if (damage.Count == 0)
            return await Task.Run(() => Read(file, path, findings), token).ConfigureAwait(false);
        using var reading = new ReadingConnection(file);
        findings.Words.Prefix = StoredSettings.PrefixOf(reading.Connection);
        return [.. damage.Select(findings.Damaged)];
    }

    private static List<CheckFinding> Read(string file, string path, DatabaseFindings findings)
    {
        using var reading = new ReadingConnection(file);
        findings.Words.Prefix = StoredSettings.PrefixOf(reading.Connection);
        // What else there is need not be what it looks like.
        if (SchemaState.Find(reading.Connection, path) is { } problem)
            return [findings.Schema(problem)];
        using var reader = new DatabaseDumpReader(file);
        var version = reader.SchemaVersion;
        var flags = InspectOperation.Flags(reader);
        var found = new List<CheckFinding>();
        if (reader.Configuration.ContainsKey(RecreateMark.Key))
            found.Add(findings.InterruptedRecreate());
        else if (LostBlocksMark.AreLost(reading.Connection))
            found.Add(findings.BlocksAreLost(LostBlocksMark.Remedy(reading.Connection)));
        else if (flags.Contains(RecreateMark.UpstreamsKey))
            found.Add(findings.UnfinishedRecreate());
        else if (flags.Contains(InspectOperation.PartiallyRecreated))
            found.Add(findings.PartialRecreate());
        else if (!HasBegun(reader))
            found.Add(findings.Empty());
        found.AddRange(StoredSettings.Problems(reading.Connection).Select(findings.DamagedSetting));
        found.AddRange(
            InspectOperation
                .Faults(reading.Connection, version)
                .Where(x => x.Fault.IsRepaired || !found.Exists(y => y.Kind == DatabaseFindings.LostBlocks))
                .Select(x => findings.DanglingRows(x.What))
        );
        if (flags.Contains(InspectOperation.ActiveUploads))
            found.Add(findings.Interrupted());
        // What a running operation leaves out is as it should be.
        if (reader.LeftOut is { IsBeingFilled: false } leftOut)
            found.Add(findings.MissingIndexes(leftOut.Names.Count, version));
        if (version < SchemaState.Newest)
            found.Add(findings.OldSchema(version, SchemaState.Newest));
        found.AddRange(Space(reading.Connection, path, findings));
        if (reader.RowCounts.Values.Max() >= RowsWorthStatistics && PlannerStatistics.AreStale(reading.Connection))
            found.Add(findings.StaleStatistics());
        return found;
    }

    // A backup stores its block size before anything else.
    private static bool HasBegun(DatabaseDumpReader reader) =>
        reader.Configuration.ContainsKey("blocksize") || reader.RowCounts.Any(x => x.Value > 0 && x.Key is "fileset" or "remotevolume");

    private static IEnumerable<CheckFinding> Space(SqliteConnection connection, string path, DatabaseFindings findings)
    {
        if (new FileInfo(path + "-wal") is { Exists: true, Length: > 0 } log)
            yield return findings.Log(log.Length);
        var free = DumpQuery.Number(connection, InspectOperation.FREE_PAGES);
        var percent = 100 * free / Math.Max(1, DumpQuery.Number(connection, InspectOperation.PAGE_COUNT));
        var bytes = free * DumpQuery.Number(connection, InspectOperation.PAGE_SIZE);
        if (bytes >= LargestFree && percent >= FreePercent)
            yield return findings.FreePages(bytes, percent);
    }
}
