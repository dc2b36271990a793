// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Utility;

namespace Duplicati.Engine.Common;

/// <summary>
/// Chooses the versions that are not to be kept. Versions are given newest first, those of the remote folder only. Whatever the rule, the
/// newest version stays, and the newest
/// complete one: what is partial is no backup of everything.
/// </summary>
internal static class Retention
{
    /// <summary>A version: when it was made (UTC), and whether it is complete.</summary>
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

/// <summary>How many versions of which age are kept, as upstream writes it: <c>1W:1D,4W:1W,12M:1M</c>.</summary>
public sealed class RetentionPolicy
{
    private const string Unlimited = "U";

    private readonly List<Frame> m_frames;

    private RetentionPolicy(List<Frame> frames) => m_frames = frames;

    /// <summary>Of the versions up to an age, one an interval is kept; an interval of zero keeps all.</summary>
    internal sealed record Frame(TimeSpan Age, TimeSpan Interval);

    /// <summary>
    /// Reads a policy: pairs of an age and an interval; <c>U</c> is an age without an end, or an interval that keeps all.
    /// </summary>
    /// <param name="text">The policy.</param>
    /// <returns>The policy, its ages ascending.</returns>
    /// <exception cref="FormatException">The text is none.</exception>
    public static RetentionPolicy Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var frames = new List<Frame>();
        foreach (var pair in text.Split(',', StringSplitOptions.TrimEntries))
        {
            if (pair.Split(':', StringSplitOptions.TrimEntries) is not [{ Length: > 0 } age, { Length: > 0 } interval])
                throw new FormatException($"{text} is not a retention policy; write 1W:1D,4W:1W,12M:1M.");
            var frame = new Frame(
                age == Unlimited ? TimeSpan.MaxValue : Timeparser.ParseTimeSpan(age),
                interval == Unlimited ? TimeSpan.Zero : Timeparser.ParseTimeSpan(interval)
            );
            if (frame.Age <= TimeSpan.Zero || frame.Interval < TimeSpan.Zero || frames.Exists(x => x.Age == frame.Age))
                throw new FormatException(
                    $"{text} is not a retention policy: {pair} is an age that is negative, zero or given twice, or a negative interval."
                );
            frames.Add(frame);
        }

        frames.Sort((x, y) => x.Age.CompareTo(y.Age));
        return new RetentionPolicy(frames);
    }

    /// <summary>The rule for versions of an age; null if they are too old for all.</summary>
    internal Frame? Find(TimeSpan age) => m_frames.Find(x => age <= x.Age);
}
