// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.VolumeTest;

/// <summary>
/// Chooses the volumes to test: those of unknown hash or size, then lists, indexes and block volumes, each kind sampled so that
/// the volumes tested least come first. Reads numbers of each volume and each version once, and names of the chosen ones only.
/// </summary>
internal static class TestTargets
{
    /// <summary>Column "Type" of <see cref="CandidatesSql"/>: list volumes.</summary>
    private const long ListType = 1;

    /// <summary>Index volumes.</summary>
    private const long IndexType = 2;

    /// <summary>Block volumes.</summary>
    private const long BlockType = 3;

    // Reads the whole table, one row a volume, in row order; numbers only.
    private const string CandidatesSql = """
        SELECT "ID", CASE "Type" WHEN 'Files' THEN 1 WHEN 'Index' THEN 2 WHEN 'Blocks' THEN 3 ELSE 0 END,
            COALESCE("Size", 0) <= 0 OR COALESCE("Hash", '') = '', "VerificationCount"
        FROM "Remotevolume"
        WHERE "State" IN ('Uploaded', 'Verified') AND "ArchiveTime" = 0
        ORDER BY "ID"
        """;

    // Row id.
    private const string Volume = """SELECT "Name", "Size", "Hash" FROM "Remotevolume" WHERE "ID" = ?1""";

    // Reads the whole table, one row a version.
    private const string ListVolumes = """SELECT "ID", "VolumeID" FROM "Fileset" ORDER BY "Timestamp", "ID" """;

    // Index RemotevolumeNameOnly; reads the whole table for the highest count, one row a volume.
    private const string CountVerificationSql = """
        UPDATE "Remotevolume"
        SET "VerificationCount" = MAX(1, CASE
            WHEN "VerificationCount" <= 0 THEN (SELECT MAX("VerificationCount") FROM "Remotevolume")
            ELSE "VerificationCount" + 1 END)
        WHERE "Name" = ?1
        """;

    /// <summary>The volumes, in the order in which they are to be tested.</summary>
    internal static List<IRemoteVolume> Select(DatabaseSession session, long samples, Options options)
    {
        samples = Math.Max(1, samples);
        var strategy = options.FullRemoteVerification;
        var candidates = Candidates(session);
        var chosen = new List<TestTarget>();
        if (strategy != Options.RemoteTestStrategy.IndexesOnly)
        {
            chosen.AddRange(candidates.FindAll(static x => x.IsUnmeasured));
            var lists = Lists(session, candidates, samples, options);
            if (lists.Count == 0)
                return Volumes(session, chosen);
            chosen.AddRange(lists);
        }

        chosen.AddRange(Sample(candidates.FindAll(static x => x.Type == IndexType), samples));
        if (strategy is Options.RemoteTestStrategy.True or Options.RemoteTestStrategy.False)
            chosen.AddRange(Sample(candidates.FindAll(static x => x.Type == BlockType), samples));
        return Volumes(session, chosen);
    }

    /// <summary>Counts a test of a volume: a new one joins the most tested ones. Unknown names are ignored.</summary>
    internal static void CountVerification(DatabaseSession session, string name)
    {
        using var update = session.Take(CountVerificationSql);
        update.Bind(1, name).ExecuteNonQuery();
    }

    private static List<TestTarget> Lists(DatabaseSession session, List<TestTarget> candidates, long samples, Options options)
    {
        var (time, versions) = (options.Time, options.Version);
        var restricted = time.Ticks > 0 || versions is { Length: > 0 };
        var wanted = restricted
            ? FilesetSelection.Matching(session, FilesetSelection.OfKnownKind(time), versions, false).ToHashSet()
            : null;
        var byId = new Dictionary<long, TestTarget>();
        foreach (var candidate in candidates)
        {
            if (candidate.Type == ListType)
                byId.Add(candidate.Id, candidate);
        }

        var lists = new List<TestTarget>();
        using (var rows = session.Take(ListVolumes))
        {
            while (rows.Read())
            {
                // Taken out, so that no volume comes twice.
                if ((wanted is null || wanted.Contains(rows.GetInt64(0))) && byId.Remove(rows.GetInt64(1), out var list))
                    lists.Add(list);
            }
        }

        return restricted ? lists : Sample(lists, samples);
    }

    // Never tested ones first, then by the number of tests; among equals at random.
    private static List<TestTarget> Sample(List<TestTarget> candidates, long samples) =>
        [
            .. candidates
                .OrderBy(static x => Math.Max(0, x.VerificationCount))
                .ThenBy(static x => x.Lot)
                .Take((int)Math.Min(samples, int.MaxValue)),
        ];

    private static List<TestTarget> Candidates(DatabaseSession session)
    {
        using var rows = session.Take(CandidatesSql);
        return rows.ReadAll(static row => new TestTarget(
            row.GetInt64(0),
            row.GetInt64(1),
            row.GetInt64(2) != 0,
            row.GetInt64(3),
            Random.Shared.Next()
        ));
    }

    private static List<IRemoteVolume> Volumes(DatabaseSession session, List<TestTarget> chosen)
    {
        var result = new List<IRemoteVolume>(chosen.Count);
        using var row = session.Take(Volume);
        foreach (var target in chosen)
        {
            if (row.Bind(1, target.Id).Read())
            {
                var name = row.GetString(0)!;
                // Told with its state: the outcome of the test is written to it.
                _ = VolumeReads.ByName(session, name);
                result.Add(new RemoteVolume(name, row.GetString(2) ?? "", row.GetInt64(1, -1)));
            }

            row.Reset();
        }

        return result;
    }
}

/// <summary>A volume that may be tested, without what is only needed of those chosen.</summary>
/// <param name="Id">Its row.</param>
/// <param name="Type">What it holds: a number, see <see cref="TestTargets"/>.</param>
/// <param name="IsUnmeasured">Whether it cannot be compared with anything before it has been fetched.</param>
/// <param name="VerificationCount">How often it was tested.</param>
/// <param name="Lot">A random number, for the order of volumes that were tested equally often.</param>
internal readonly record struct TestTarget(long Id, long Type, bool IsUnmeasured, long VerificationCount, int Lot);
