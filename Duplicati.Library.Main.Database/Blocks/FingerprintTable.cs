#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Row ids under 36-bit fingerprints of keys, in memory: what it finds are candidates to be verified against the row; what it
/// does not find is not there. Equal fingerprints may be added several times.
/// </summary>
/// <remarks>
/// 8 bytes a slot, 11 to 14 bytes an entry. The segment gives 12 bits of the fingerprint, the slot holds the other 24, from which
/// also its position follows, so that segments can grow without the keys. At n entries a miss meets n / 2^36 candidates.
/// Not thread-safe.
/// </remarks>
internal sealed class FingerprintTable
{
    /// <summary>The greatest id that fits.</summary>
    internal const long MaxId = (1L << 40) - 1;

    private const int SegmentCount = 4096;
    private const int FirstCapacity = 4;

    private readonly ulong[]?[] m_slots = new ulong[SegmentCount][];
    private readonly int[] m_counts = new int[SegmentCount];

    /// <summary>Number of entries.</summary>
    internal long Count { get; private set; }

    /// <summary>Bytes of all slots.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Adds an id.</summary>
    /// <param name="hash">The key's mixed hash.</param>
    /// <param name="id">1 to <see cref="MaxId"/>.</param>
    internal void Add(ulong hash, long id)
    {
        var segment = Segment(hash);
        var slots = m_slots[segment];
        if (slots is null || (m_counts[segment] + 1) * 4L > slots.Length * 3L)
            slots = Grow(segment);

        Place(slots, ((ulong)Fingerprint(hash) << 40) | (ulong)id);
        m_counts[segment]++;
        Count++;
    }

    /// <summary>Gives the candidates for a key one after the other.</summary>
    /// <param name="hash">The key's mixed hash.</param>
    /// <param name="position">Start with -1 and hand it back unchanged.</param>
    /// <param name="id">The next candidate.</param>
    /// <returns>False when there are no more.</returns>
    internal bool TryNext(ulong hash, ref int position, out long id)
    {
        id = -1;
        if (m_slots[Segment(hash)] is not { } slots)
            return false;

        var fingerprint = Fingerprint(hash);
        var i = position < 0 ? Position(fingerprint, slots.Length) : Next(position, slots.Length);
        for (; slots[i] != 0; i = Next(i, slots.Length))
        {
            if ((uint)(slots[i] >> 40) != fingerprint)
                continue;

            position = i;
            id = (long)(slots[i] & (ulong)MaxId);
            return true;
        }

        return false;
    }

    /// <summary>Takes an id out. False if it is not there.</summary>
    internal bool Remove(ulong hash, long id)
    {
        var position = -1;
        while (TryNext(hash, ref position, out var candidate))
        {
            if (candidate != id)
                continue;

            var segment = Segment(hash);
            CloseGap(m_slots[segment]!, position);
            m_counts[segment]--;
            Count--;
            return true;
        }

        return false;
    }

    private ulong[] Grow(int segment)
    {
        var old = m_slots[segment];
        var capacity = old is null ? FirstCapacity + (segment / 1024) : old.Length + Math.Max(1, old.Length / 4);
        var slots = new ulong[capacity];
        foreach (var slot in old ?? [])
        {
            if (slot != 0)
                Place(slots, slot);
        }

        Bytes += (capacity - (old?.Length ?? 0)) * (long)sizeof(ulong);
        return m_slots[segment] = slots;
    }

    private static void Place(ulong[] slots, ulong entry)
    {
        var i = Position((uint)(entry >> 40), slots.Length);
        while (slots[i] != 0)
            i = Next(i, slots.Length);
        slots[i] = entry;
    }

    private static void CloseGap(ulong[] slots, int gap)
    {
        for (var i = Next(gap, slots.Length); slots[i] != 0; i = Next(i, slots.Length))
        {
            var home = Position((uint)(slots[i] >> 40), slots.Length);
            var stays = gap <= i ? gap < home && home <= i : gap < home || home <= i;
            if (stays)
                continue;
            slots[gap] = slots[i];
            gap = i;
        }

        slots[gap] = 0;
    }

    private static int Segment(ulong hash) => (int)(hash >> 52);

    private static uint Fingerprint(ulong hash) => (uint)(hash >> 20) & 0xFFFFFF;

    private static int Position(uint fingerprint, int capacity) => (int)(((ulong)fingerprint * (ulong)capacity) >> 24);

    private static int Next(int i, int capacity) => i + 1 == capacity ? 0 : i + 1;
}
