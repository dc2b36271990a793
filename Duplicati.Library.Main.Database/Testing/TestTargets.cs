#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>
/// Chooses the volumes to test: those of unknown hash or size, then lists, indexes and block volumes, each kind sampled so that
/// the volumes tested least come first. Reads each volume and each version once.
/// </summary>
internal static class TestTargets
{
    /// <summary>The volumes, in the order in which they are to be tested.</summary>
    internal static List<IRemoteVolume> Select(DatabaseSession session, long samples, Options options)
    {
        samples = Math.Max(1, samples);
        var strategy = options.FullRemoteVerification;
        var candidates = Candidates(session);
        var result = new List<IRemoteVolume>();
        if (strategy != Options.RemoteTestStrategy.IndexesOnly)
        {
            result.AddRange(candidates.Where(x => x.IsUnmeasured).Select(x => x.Volume));
            var lists = Lists(session, candidates, samples, options);
            if (lists.Count == 0)
                return result;
            result.AddRange(lists.Select(x => x.Volume));
        }

        result.AddRange(Sample(candidates.Where(x => x.Type == RemoteVolumeType.Index), samples).Select(x => x.Volume));
        if (strategy is Options.RemoteTestStrategy.True or Options.RemoteTestStrategy.False)
            result.AddRange(Sample(candidates.Where(x => x.Type == RemoteVolumeType.Blocks), samples).Select(x => x.Volume));
        return result;
    }

    /// <summary>Counts a test of a volume: a new one joins the most tested ones. Unknown names are ignored.</summary>
    internal static void CountVerification(DatabaseSession session, string name)
    {
        using var update = session.Take(TestTargetSql.CountVerification);
        update.Bind(1, name).Execute();
    }

    private static List<TestTarget> Lists(DatabaseSession session, List<TestTarget> candidates, long samples, Options options)
    {
        var (time, versions) = (options.Time, options.Version);
        var restricted = time.Ticks > 0 || versions is { Length: > 0 };
        // A time of no ticks means none, whatever its kind.
        var wanted = restricted
            ? FilesetSelection.Matching(session, time.Ticks == 0 ? DateTime.SpecifyKind(time, DateTimeKind.Utc) : time, versions, false).ToHashSet()
            : null;
        var byId = candidates.ToDictionary(x => x.Id);
        var lists = new List<TestTarget>();
        using (var rows = session.Take(TestTargetSql.ListVolumes))
        {
            while (rows.Step())
            {
                // Taken out, so that no volume comes twice.
                if ((wanted is null || wanted.Contains(rows.GetInt64(0))) && byId.Remove(rows.GetInt64(1), out var list) && list.Type == RemoteVolumeType.Files)
                    lists.Add(list);
            }
        }

        return restricted ? lists : [.. Sample(lists, samples)];
    }

    // Never tested ones first, then by the number of tests; among equals at random.
    private static IEnumerable<TestTarget> Sample(IEnumerable<TestTarget> candidates, long samples)
    {
        var shuffled = candidates.ToArray();
        Random.Shared.Shuffle(shuffled);
        return shuffled.OrderBy(x => Math.Max(0, x.VerificationCount)).Take((int)Math.Min(samples, shuffled.Length));
    }

    private static List<TestTarget> Candidates(DatabaseSession session)
    {
        var result = new List<TestTarget>();
        using var rows = session.Take(TestTargetSql.Candidates);
        while (rows.Step())
        {
            var volume = new RemoteVolume(rows.GetString(1)!, rows.GetString(4) ?? "", rows.GetInt64(3, -1));
            result.Add(new TestTarget(rows.GetInt64(0), volume, Enum.Parse<RemoteVolumeType>(rows.GetString(2) ?? ""), rows.GetInt64(5)));
        }

        return result;
    }
}
