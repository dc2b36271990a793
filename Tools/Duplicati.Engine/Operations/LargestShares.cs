// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Reports;

namespace Duplicati.Engine.Operations;

/// <summary>The largest of many parts, and the sum of the rest. Memory: those that are kept.</summary>
/// <param name="most">How many are kept.</param>
internal sealed class LargestShares(int most)
{
    private readonly PriorityQueue<SpaceShare, long> m_kept = new();
    private SpaceShare? m_other;

    internal void Add(SpaceShare share)
    {
        m_kept.Enqueue(share, share.Bytes);
        if (m_kept.Count <= most)
            return;
        var least = m_kept.Dequeue();
        m_other = new SpaceShare("other", (m_other?.Count ?? 0) + least.Count, (m_other?.Bytes ?? 0) + least.Bytes);
    }

    internal SpaceShares ToShares() =>
        new(
            [.. m_kept.UnorderedItems.Select(x => x.Element).OrderByDescending(x => x.Bytes).ThenBy(x => x.Name, StringComparer.Ordinal)],
            m_other
        );

    /// <summary>The largest of a sequence.</summary>
    internal static SpaceShares Of(int most, IEnumerable<SpaceShare> shares)
    {
        var largest = new LargestShares(most);
        foreach (var share in shares)
            largest.Add(share);
        return largest.ToShares();
    }
}
