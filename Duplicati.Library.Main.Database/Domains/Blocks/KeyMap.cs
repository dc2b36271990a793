// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// A map from 128-bit keys (see <see cref="KeyHasher"/>) to small numbers, in memory outside the garbage collector's heap: 256 segments
/// of a <see cref="SlotTable{T}"/> that grow by an eighth at 75 % load. 16 bytes a slot, 21 to 25 bytes an entry.
/// </summary>
/// <remarks>
/// Of a key it keeps 96 bits: the upper 64 and the lowest 32. The chance that any two of ten million keys of a keyed hash agree in
/// them is about 10^-15. Not thread-safe. A look-up touches one or two cache lines, about 0.1 µs in a map that is larger than the caches.
/// </remarks>
internal sealed class KeyMap : IDisposable
{
    /// <summary>The greatest value that fits; the least is 0.</summary>
    internal const long MaxValue = (1L << ValueBits) - 2;

    private const int ValueBits = 40;
    private const int SegmentBits = 8;
    private const int GrowthShift = 3;
    private const int LoadEighths = 6;

    private readonly SlotTable<Slot> m_table;

    /// <summary>An empty map, which takes no memory yet.</summary>
    /// <param name="maxBytes">Bytes after which <see cref="IsFull"/> is set.</param>
    internal KeyMap(long maxBytes = long.MaxValue) => m_table = new SlotTable<Slot>(1 << SegmentBits, maxBytes, GrowthShift, LoadEighths);

    /// <summary>Number of entries.</summary>
    internal long Count => m_table.Count;

    /// <summary>Bytes held by the slots.</summary>
    internal long Bytes => m_table.Bytes;

    /// <summary>True if no more keys can be added for sure.</summary>
    internal bool IsFull => m_table.IsFull;

    /// <summary>The value of a key; false if it is not in the map.</summary>
    internal bool TryGet(UInt128 key, out long value)
    {
        var slots = m_table.Slots(Segment(key));
        var i = Find(slots, key);
        value = i < 0 ? 0 : slots[i].Value;
        GC.KeepAlive(this);
        return i >= 0;
    }

    /// <summary>True if the key is in the map.</summary>
    internal bool Contains(UInt128 key) => TryGet(key, out _);

    /// <summary>Adds an entry, or replaces the value of one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">0 to <see cref="MaxValue"/>.</param>
    /// <returns>True if the key was new.</returns>
    internal bool Set(UInt128 key, long value)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((ulong)value, (ulong)MaxValue, nameof(value));
        var segment = Segment(key);
        var slots = m_table.Slots(segment);
        var i = Find(slots, key);
        if (i >= 0)
            slots[i] = new Slot(key, value);
        else
            m_table.Add(segment, new Slot(key, value));
        GC.KeepAlive(this);
        return i < 0;
    }

    /// <summary>Adds an entry for a key that is not in the map, without looking for it.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">0 to <see cref="MaxValue"/>.</param>
    internal void Add(UInt128 key, long value)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((ulong)value, (ulong)MaxValue, nameof(value));
        m_table.Add(Segment(key), new Slot(key, value));
    }

    /// <summary>
    /// Reads the slot where a key's search begins. Called for several keys before any is looked up, it lets the processor fetch
    /// their memory at the same time instead of one after the other.
    /// </summary>
    /// <returns>A number of no meaning, to be used so that the reading is not left out.</returns>
    internal ulong Touch(UInt128 key)
    {
        var slots = m_table.Slots(Segment(key));
        var touched = slots.IsEmpty ? 0 : slots[new Slot(key, 0).Home(slots.Length)].Upper;
        GC.KeepAlive(this);
        return touched;
    }

    /// <summary>Removes an entry.</summary>
    /// <returns>True if the key was in the map.</returns>
    internal bool Remove(UInt128 key)
    {
        var segment = Segment(key);
        var i = Find(m_table.Slots(segment), key);
        if (i >= 0)
            m_table.RemoveAt(segment, i);
        GC.KeepAlive(this);
        return i >= 0;
    }

    /// <summary>
    /// Moves everything into a smaller structure, under the hashes that <see cref="HashOf(UInt128)"/> gives, and gives the memory back.
    /// It ends early when that is full.
    /// </summary>
    internal void MoveTo(FingerprintTable target)
    {
        for (var segment = 0; segment < 1 << SegmentBits; segment++)
        {
            foreach (ref readonly var slot in m_table.Slots(segment))
            {
                if (slot.IsUsed && !target.IsFull)
                    target.Add(slot.Upper, slot.Value);
            }
        }

        Dispose();
    }

    /// <summary>The hash under which the entry of a key moves into a <see cref="FingerprintTable"/>.</summary>
    internal static ulong HashOf(UInt128 key) => (ulong)(key >> 64);

    /// <summary>Forgets everything and gives the memory back. The map can be used again.</summary>
    public void Dispose() => m_table.Dispose();

    private static int Segment(UInt128 key) => (byte)key;

    private static int Find(ReadOnlySpan<Slot> slots, UInt128 key)
    {
        if (slots.IsEmpty)
            return -1;

        var wanted = new Slot(key, 0);
        for (var i = wanted.Home(slots.Length); slots[i].IsUsed; i = SlotTable<Slot>.Next(i, slots.Length))
        {
            if (slots[i].HasKeyOf(wanted))
                return i;
        }

        return -1;
    }

    // The segment tells the lowest 8 bits of the key, so the slot holds the 24 above them.
    private readonly struct Slot(UInt128 key, long value) : ISlot
    {
        // The value is stored plus one, so that no used slot looks free.
        private readonly ulong m_lowerAndValue = ((ulong)((uint)key >> SegmentBits) << ValueBits) | (ulong)(value + 1);

        internal readonly ulong Upper = (ulong)(key >> 64);

        internal long Value => (long)(m_lowerAndValue & ((1UL << ValueBits) - 1)) - 1;

        public bool IsUsed => m_lowerAndValue != 0;

        internal bool HasKeyOf(in Slot other) => Upper == other.Upper && m_lowerAndValue >> ValueBits == other.m_lowerAndValue >> ValueBits;

        public int Home(int capacity) => (int)Math.BigMul(Upper, (ulong)capacity, out _);
    }
}
