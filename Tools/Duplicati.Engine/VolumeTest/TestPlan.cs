// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.VolumeTest;

/// <summary>The volumes that a test is to fetch.</summary>
/// <param name="Chosen">Those it takes, in their order.</param>
/// <param name="All">Those of which it takes them.</param>
internal sealed record TestPlan(IReadOnlyList<IRemoteVolume> Chosen, IReadOnlyList<IRemoteVolume> All)
{
    /// <summary>Scans Remotevolume, one row a volume.</summary>
    private const string COUNTS = """SELECT "Name", "VerificationCount" FROM "Remotevolume" """;

    /// <summary>Chooses volumes as Duplicati does, and of those what the budget allows, the least tested first.</summary>
    internal static async Task<TestPlan> MakeAsync(LocalTestDatabase database, long samples, TestBudget budget, CancellationToken token)
    {
        var strategy = budget.IndexOnly ? Options.RemoteTestStrategy.IndexesOnly : Options.RemoteTestStrategy.True;
        var options = new Options(new Dictionary<string, string?> { ["full-remote-verification"] = strategy.ToString() });
        // One of unknown size or hash may be chosen twice.
        var volumes = await database
            .SelectTestTargetsAsync(samples, options, token)
            .DistinctBy(x => x.Name)
            .ToListAsync(token)
            .ConfigureAwait(false);
        if (budget.ReadData is null && budget.MaxDuration is null)
            return new TestPlan(volumes, volumes);

        var counts = DumpQuery
            .Rows(database.Connection, COUNTS, row => KeyValuePair.Create(row.GetString(0), row.GetInt64(1)))
            .ToDictionary(StringComparer.Ordinal);
        volumes = [.. volumes.OrderBy(x => counts.GetValueOrDefault(x.Name))];
        return new TestPlan(budget.ReadData?.Choose(volumes, x => x.Name, Size) ?? volumes, volumes);
    }

    /// <summary>What is left for other runs; null if nothing is.</summary>
    internal TestRest? Left(IReadOnlyCollection<string> tested)
    {
        var left = All.ExceptBy(tested, x => x.Name).ToList();
        return left.Count == 0 ? null : new TestRest(left.Count, left.Sum(Size));
    }

    private static long Size(IRemoteVolume volume) => Math.Max(0, volume.Size);
}
