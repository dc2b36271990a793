// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Runtime.CompilerServices;
using Duplicati.Library.SQLiteHelper.Memory;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>An entry of a <see cref="SlotTable{T}"/>; all zero bytes are a free slot.</summary>
internal interface ISlot
{
    /// <summary>False for all zero bytes.</summary>
    bool IsUsed { get; }

    /// <summary>Where the search for the entry begins among a number of slots; never falls when that number grows.</summary>
    int Home(int capacity);
}

/// <summary>
/// The memory of an open-addressing table with linear probing: segments, chosen by the caller, that grow in place and at different
/// times. Each has its own part of one reservation of memory, of which only what is in use has been touched. When a part is full, all
/// move to a reservation four times as large; one of the bound's size, of which at most a quarter is filled then, is the last.
/// </summary>
/// <remarks>
/// Growing copies one segment and makes no garbage; moving needs as much again as is in use then, at most half of the bound in
/// all. Memory is outside the garbage collector's heap and given back by <see cref="Dispose"/>. Not thread-safe.
/// </remarks>
internal sealed class SlotTable<T> : IDisposable
    where T : unmanaged, ISlot
{
    private const int RegionGrowth = 4;

    private readonly int m_smallest;
    private readonly int m_mostRegion;
    private readonly int m_growthShift;
    private readonly int m_loadEighths;
    private readonly int[] m_capacities;
    private readonly int[] m_counts;
    private NativeArray<T>? m_memory;
    private NativeArray<T>? m_scratch;
    private int m_region;

    /// <summary>An empty table, which takes no memory yet.</summary>
    /// <param name="segments">Number of segments.</param>
    /// <param name="maxBytes">Most bytes; with fewer than a few kilobytes it takes those.</param>
    /// <param name="growthShift">A segment grows by its size shifted right by this.</param>
    /// <param name="loadEighths">Eighths of a segment's slots that are used before it grows.</param>
    internal SlotTable(int segments, long maxBytes, int growthShift, int loadEighths)
    {
        m_smallest = Math.Max(8, 16 * 1024 / segments);
        m_growthShift = growthShift;
        m_loadEighths = loadEighths;
        m_capacities = new int[segments];
        m_counts = new int[segments];

        // An eighth more than the share, because segments differ a little.
        var share = maxBytes / segments / Unsafe.SizeOf<T>();
        m_mostRegion = (int)Math.Clamp(share + (share / 8), m_smallest, 1 << 28);
        m_region = m_mostRegion;
        while (m_region / RegionGrowth >= m_smallest)
            m_region /= RegionGrowth;
    }

    /// <summary>Number of entries.</summary>
    internal long Count { get; private set; }

    /// <summary>Bytes of all slots of the segments.</summary>
    internal long Bytes { get; private set; }

    /// <summary>True once a segment could not grow any more: move to something else before the next <see cref="Add"/>.</summary>
    internal bool IsFull { get; private set; }

    /// <summary>
    /// The slots of a segment; empty if it has no entries. Valid until the next <see cref="Add"/>; keep the table alive meanwhile.
    /// </summary>
    internal Span<T> Slots(int segment) => m_memory is { } memory ? memory.Slice((long)segment * m_region, m_capacities[segment]) : [];

    /// <summary>Adds an entry, whatever is there.</summary>
    /// <exception cref="InvalidOperationException">The segment has no free slot left, see <see cref="IsFull"/>.</exception>
    internal void Add(int segment, in T entry)
    {
        if ((m_counts[segment] + 1) * 8L > m_capacities[segment] * (long)m_loadEighths)
            Grow(segment);

        Place(Slots(segment), entry);
        m_counts[segment]++;
        Count++;
    }

    /// <summary>Takes the entry at a position out.</summary>
    internal void RemoveAt(int segment, int position)
    {
        CloseGap(Slots(segment), position);
        m_counts[segment]--;
        Count--;
    }

    /// <summary>Forgets all entries and gives the memory back. The table can be used again.</summary>
    public void Dispose()
    {
        m_memory?.Dispose();
        m_scratch?.Dispose();
        (m_memory, m_scratch) = (null, null);
        Array.Clear(m_capacities);
        Array.Clear(m_counts);
        (Count, Bytes, IsFull) = (0, 0, false);
    }

    /// <summary>The next position in a segment.</summary>
    internal static int Next(int position, int capacity) => position + 1 == capacity ? 0 : position + 1;

    private void Grow(int segment)
    {
        m_memory ??= new NativeArray<T>((long)m_region * m_counts.Length);
        var old = m_capacities[segment];
        // Segments start at different sizes, so that they do not all grow at the same time.
        var capacity =
            old == 0 ? (m_smallest / 2) + (int)((long)segment * m_smallest / 4 / m_counts.Length) : old + Math.Max(1, old >> m_growthShift);
        if (capacity > m_region && m_region < m_mostRegion)
            Enlarge();

        capacity = Math.Min(capacity, m_region);
        if (capacity == old)
            StayFull(segment);
        else
            Spread(segment, capacity);

        // A small segment grows slot by slot, and comes to its end with more entries than its load.
        if (capacity == m_mostRegion && m_counts[segment] + 3 > capacity)
            IsFull = true;
    }

    // One slot stays free, where searches end.
    private void StayFull(int segment)
    {
        if (m_counts[segment] + 1 >= m_capacities[segment])
            throw new InvalidOperationException("A segment of the table in memory is full.");
        IsFull = true;
    }

    private void Spread(int segment, int capacity)
    {
        var old = Slots(segment);
        m_scratch ??= new NativeArray<T>(m_region);
        var entries = m_scratch.Slice(0, old.Length);
        old.CopyTo(entries);
        old.Clear();
        Bytes += (capacity - old.Length) * (long)Unsafe.SizeOf<T>();
        m_capacities[segment] = capacity;
        var slots = Slots(segment);
        foreach (ref readonly var entry in entries)
        {
            if (entry.IsUsed)
                Place(slots, entry);
        }
    }

    private void Enlarge()
    {
        var region = m_region > m_mostRegion / RegionGrowth / 2 ? m_mostRegion : m_region * RegionGrowth;
        var larger = new NativeArray<T>((long)region * m_counts.Length);
        for (var segment = 0; segment < m_counts.Length; segment++)
            Slots(segment).CopyTo(larger.Slice((long)segment * region, m_capacities[segment]));

        m_memory?.Dispose();
        m_scratch?.Dispose();
        (m_memory, m_scratch, m_region) = (larger, null, region);
    }

    private static void Place(Span<T> slots, in T entry)
    {
        var i = entry.Home(slots.Length);
        while (slots[i].IsUsed)
            i = Next(i, slots.Length);
        slots[i] = entry;
    }

    // Later entries of the run move up where the gap lies between their own position and where they are.
    private static void CloseGap(Span<T> slots, int gap)
    {
        for (var i = Next(gap, slots.Length); slots[i].IsUsed; i = Next(i, slots.Length))
        {
            var home = slots[i].Home(slots.Length);
            var stays = gap <= i ? gap < home && home <= i : gap < home || home <= i;
            if (stays)
                continue;
            slots[gap] = slots[i];
            gap = i;
        }

        slots[gap] = default;
    }
}
