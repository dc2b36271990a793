// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Compact;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;
using CompactPlan = Duplicati.Library.Main.Database.Compact.CompactReport;

namespace Duplicati.Engine.Operations;

/// <summary>Tells how a backup grows and what fills it. Needs the local database only and changes nothing.</summary>
/// <param name="options">The database.</param>
/// <param name="progress">Told what is read.</param>
public sealed class OverviewOperation(EngineOptions options, IEngineProgress progress)
{
    private const int Most = 12;
    private const int Parts = 6;

    private const string ByPages = "Measured page by page, in a copy.";
    private const string NotMeasured = "There was no space for the copy that they are measured in.";

    /// <summary>
    /// Reads all versions, blocks and pages once; needs space for a copy of the database among the temporary files to tell sizes by table.
    /// Memory: what is told, and what the preset lets a temporary table of the contents take.
    /// </summary>
    /// <exception cref="UserInformationException">Help id <c>DatabaseDoesNotExist</c>.</exception>
    public Task<OverviewReport> RunAsync(CancellationToken token) =>
        DatabaseReading.RunAsync(options.DatabasePath, options.Preset, file => ReadAsync(file, token), token);

    private async Task<OverviewReport> ReadAsync(string file, CancellationToken token)
    {
        Begin("volumes", 0, token);
        var (waste, compact) = await VolumesAsync(file, token).ConfigureAwait(false);
        return await Task.Run(() => Read(file, waste, compact, token), token).ConfigureAwait(false);
    }

    private OverviewReport Read(string file, WasteShares waste, CompactPreview compact, CancellationToken token)
    {
        using var reading = new ReadingConnection(file);
        var connection = reading.Connection;
        return Interruptible.Run(
            connection,
            token,
            () =>
            {
                var reads = new OverviewReads(connection, Most);
                Begin("versions", 1, token);
                using var dump = new DatabaseDumpReader(file);
                var versions = InspectOperation.Versions(dump, connection);
                Begin("blocks", 2, token);
                var (fresh, stored) = reads.Added();
                Begin("files", 3, token);
                var (folders, types) = reads.Newest();
                Begin("log", 4, token);
                var operations = reads.Slowest();
                Begin("pages", 5, token);
                var tables = Tables(connection);
                progress.Advance("parts", Parts, Parts);
                return new OverviewReport(
                    [.. versions.Select(x => Version(x, fresh, stored)).Reverse()],
                    folders,
                    types,
                    waste,
                    compact,
                    tables,
                    tables.Largest.Count > 0 ? ByPages : NotMeasured,
                    operations
                );
            }
        );
    }

    private void Begin(string part, int number, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        progress.Advance("parts", number, Parts);
        progress.Working(part);
    }

    private static async Task<(WasteShares Waste, CompactPreview Compact)> VolumesAsync(string file, CancellationToken token)
    {
        var database = await LocalListDatabase.CreateAsync(file, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var settings = await database.GetDbOptionsAsync(token).ConfigureAwait(false);
        var size = SettingsStore.VolumeSize(settings) ?? new VolumeFormat().VolumeSize;
        var usage = await database.Session.ShortAsync(UsageReads.Read, token).ConfigureAwait(false);
        return (Waste(usage), Preview(usage, size));
    }

    private static WasteShares Waste(List<VolumeUsage> usage) =>
        new(
            usage.Count,
            usage.Sum(x => x.DataSize - x.WastedSize),
            usage.Sum(x => x.WastedSize),
            [
                .. usage
                    .Where(x => x.WastedSize > 0)
                    .OrderByDescending(x => x.WastedSize)
                    .ThenBy(x => x.Name, StringComparer.Ordinal)
                    .Take(Most)
                    .Select(x => new VolumeWaste(x.Name, x.DataSize - x.WastedSize, x.WastedSize)),
            ]
        );

    // With the limits that a compact has without options.
    private static CompactPreview Preview(List<VolumeUsage> usage, long size)
    {
        var limits = new EngineOptions { Remote = "", DatabasePath = "" };
        var plan = new CompactPlan(usage, size, limits.CompactThreshold, size / 5, limits.SmallFileMaxCount);
        var deleted = (plan.ShouldReclaim ? plan.DeleteableVolumes : []).ToHashSet(StringComparer.Ordinal);
        var rewritten = (plan.ShouldCompact ? plan.CompactableVolumes : []).ToHashSet(StringComparer.Ordinal);
        var freed = usage.Sum(x =>
            deleted.Contains(x.Name) ? Math.Max(x.CompressedSize, 0)
            : rewritten.Contains(x.Name) ? (long)((double)Math.Max(x.CompressedSize, 0) * x.WastedSize / x.DataSize)
            : 0
        );
        return new CompactPreview(deleted.Count + rewritten.Count > 0, deleted.Count, rewritten.Count, freed);
    }

    private static SpaceShares Tables(SqliteConnection connection)
    {
        var objects = InspectOperation.Objects(connection);
        var free = DumpQuery.Number(connection, InspectOperation.FREE_PAGES);
        var pages = free * DumpQuery.Number(connection, InspectOperation.PAGE_SIZE);
        return OverviewReads.Largest(
            Most,
            [
                .. objects.Select(x => new SpaceShare($"{x.Name} ({x.Type})", 1, x.Bytes)),
                .. objects.Count > 0 && free > 0 ? [new SpaceShare("free pages", free, pages)] : Array.Empty<SpaceShare>(),
            ]
        );
    }

    private static OverviewVersion Version(ListedVersion version, Dictionary<long, long> fresh, Dictionary<long, long> stored)
    {
        var time = new DateTimeOffset(version.Time).ToUnixTimeSeconds();
        return new OverviewVersion(
            version.Version,
            version.Time,
            version.Entries,
            version.Bytes,
            fresh.GetValueOrDefault(time),
            stored.GetValueOrDefault(time)
        );
    }
}
