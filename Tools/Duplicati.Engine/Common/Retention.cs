namespace Duplicati.Engine.Common;

/// <summary>
/// Chooses the versions that are not to be kept. Versions are given newest first. Whatever the rule, the newest version stays, and the newest
/// complete one: what is partial is no backup of everything.
/// </summary>
internal static class Retention
{
    /// <summary>A version: when it was made (UTC), and whether its backup went to its end.</summary>
    internal readonly record struct Candidate(DateTime Time, bool IsFull);

    /// <summary>All but the newest complete versions of a number, and the partial ones between them.</summary>
    internal static IReadOnlyList<long> BeyondNewest(IReadOnlyList<Candidate> versions, int count)
    {
        var complete = 0;
        return Choose(versions, version => (version.IsFull ? complete++ : complete) >= count);
    }

    /// <summary>All that are older than a time (UTC).</summary>
    internal static IReadOnlyList<long> OlderThan(IReadOnlyList<Candidate> versions, DateTime time) => Choose(versions, x => x.Time < time);

    /// <summary>All that a policy thins out.</summary>
    /// <param name="versions">The versions.</param>
    /// <param name="policy">The policy.</param>
    /// <param name="now">The time (UTC) that ages count from.</param>
    internal static IReadOnlyList<long> Thinned(IReadOnlyList<Candidate> versions, RetentionPolicy policy, DateTime now)
    {
        var kept = new HashSet<Candidate>();
        foreach (var group in versions.GroupBy(x => policy.Find(now - x.Time)).Where(x => x.Key is not null))
            kept.UnionWith(Spaced(group.Reverse(), group.Key!.Interval));
        return Choose(versions, x => !kept.Contains(x));
    }

    // From the oldest on: then a version that is kept today is kept tomorrow, when a newer one has come.
    private static List<Candidate> Spaced(IEnumerable<Candidate> oldestFirst, TimeSpan interval)
    {
        var kept = new List<Candidate>();
        foreach (var version in oldestFirst)
        {
            if (kept.Count == 0 || version.Time - kept[^1].Time >= interval)
                kept.Add(version);
            else if (version.IsFull && !kept[^1].IsFull)
                kept[^1] = version;
        }

        return kept;
    }

    private static List<long> Choose(IReadOnlyList<Candidate> versions, Func<Candidate, bool> isNotKept)
    {
        var newestComplete = versions.Select((x, i) => x.IsFull ? i : int.MaxValue).DefaultIfEmpty(int.MaxValue).Min();
        var chosen = new List<long>();
        for (var i = 0; i < versions.Count; i++)
        {
            // Asked of every version: a rule may count.
            if (isNotKept(versions[i]) && i > 0 && i != newestComplete)
                chosen.Add(i);
        }

        return chosen;
    }
}
