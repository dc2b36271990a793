// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// Which blocks were given to a volume, as ranges of ids: blocks are appended volume by volume, so a volume has one range, and
/// another one for each time it was interrupted. Stands in for the index by volume while that is deferred.
/// </summary>
/// <remarks>Not thread-safe. About 100 bytes a volume. A block that was moved later is in the ranges of both volumes.</remarks>
internal sealed class VolumeRanges
{
    private readonly Dictionary<long, List<(long First, long Last)>> m_ranges = [];

    /// <summary>Records that a block belongs to a volume.</summary>
    internal void Add(long blockId, long volumeId)
    {
        if (!m_ranges.TryGetValue(volumeId, out var ranges))
            m_ranges.Add(volumeId, ranges = new List<(long, long)>(1));

        if (ranges.Count > 0 && ranges[^1].Last == blockId - 1)
            ranges[^1] = (ranges[^1].First, blockId);
        else
            ranges.Add((blockId, blockId));
    }

    /// <summary>The ranges of ids, both ends included, in which a volume's blocks are.</summary>
    internal IReadOnlyList<(long First, long Last)> Of(long volumeId) => m_ranges.TryGetValue(volumeId, out var ranges) ? ranges : [];

    /// <summary>Forgets everything.</summary>
    internal void Clear() => m_ranges.Clear();
}
