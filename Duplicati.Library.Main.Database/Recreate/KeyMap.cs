#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// A map from 128-bit keys (see <see cref="KeyHasher"/>) to ids: open addressing with linear probing, 24 bytes a slot, 34 to 52
/// bytes an entry. It is split into 64 parts that grow by half, one at a time, so growing never needs more than a small
/// fraction of the map's size on top.
/// </summary>
/// <remarks>Not thread-safe. A look-up touches one or two cache lines, about 0.1 µs in a map that is larger than the caches.</remarks>
internal sealed class KeyMap
{
    private const int PartBits = 6;
    private const int FirstCapacity = 16;

    private readonly Part[] m_parts = new Part[1 << PartBits];

    /// <summary>Number of entries.</summary>
    internal long Count { get; private set; }

    /// <summary>Bytes held by the slots.</summary>
    internal long Bytes { get; private set; }

    /// <summary>The value of a key; false if it is not in the map.</summary>
    internal bool TryGet(UInt128 key, out long value)
    {
        ref var part = ref m_parts[PartOf(key)];
        if (part.Slots is { } slots)
        {
            var i = Find(slots, key);
            if (slots[i].IsUsed)
            {
                value = slots[i].Value;
                return true;
            }
        }

        value = 0;
        return false;
    }

    /// <summary>True if the key is in the map.</summary>
    internal bool Contains(UInt128 key) => TryGet(key, out _);

    /// <summary>Adds an entry, or replaces the value of one.</summary>
    /// <returns>True if the key was new.</returns>
    internal bool Set(UInt128 key, long value)
    {
        ref var part = ref m_parts[PartOf(key)];
        if (part.Slots is null || part.Used * 10L >= part.Slots.Length * 7L)
            Grow(ref part);

        ref var slot = ref part.Slots![Find(part.Slots, key)];
        var isNew = !slot.IsUsed;
        slot = new Slot(key, value);
        if (isNew)
        {
            part.Used++;
            Count++;
        }

        return isNew;
    }

    /// <summary>Removes an entry.</summary>
    /// <returns>True if the key was in the map.</returns>
    internal bool Remove(UInt128 key)
    {
        ref var part = ref m_parts[PartOf(key)];
        if (part.Slots is not { } slots)
            return false;

        var hole = Find(slots, key);
        if (!slots[hole].IsUsed)
            return false;

        CloseHole(slots, hole);
        part.Used--;
        Count--;
        return true;
    }

    // Entries after the hole move back unless that would put them before the place their key asks for.
    private static void CloseHole(Slot[] slots, int hole)
    {
        for (var i = Next(slots, hole); slots[i].IsUsed; i = Next(slots, i))
        {
            var home = Home(slots, slots[i].Key);
            var distanceOfHole = (i - hole + slots.Length) % slots.Length;
            var distanceOfHome = (i - home + slots.Length) % slots.Length;
            if (distanceOfHome < distanceOfHole)
                continue;

            slots[hole] = slots[i];
            hole = i;
        }

        slots[hole] = default;
    }

    private void Grow(ref Part part)
    {
        var old = part.Slots;
        var larger = new Slot[old is null ? FirstCapacity : old.Length + (old.Length / 2)];
        foreach (ref readonly var slot in old.AsSpan())
        {
            if (slot.IsUsed)
                larger[Find(larger, slot.Key)] = slot;
        }

        part.Slots = larger;
        Bytes += (larger.LongLength - (old?.LongLength ?? 0)) * Slot.Bytes;
    }

    private static int PartOf(UInt128 key) => (int)((ulong)key & ((1UL << PartBits) - 1));

    private static int Home(Slot[] slots, UInt128 key) => (int)Math.BigMul((ulong)(key >> 64), (ulong)slots.Length, out _);

    private static int Next(Slot[] slots, int i) => i + 1 == slots.Length ? 0 : i + 1;

    private static int Find(Slot[] slots, UInt128 key)
    {
        var i = Home(slots, key);
        while (slots[i].IsUsed && slots[i].Key != key)
            i = Next(slots, i);
        return i;
    }

    private struct Part
    {
        internal Slot[]? Slots;
        internal int Used;
    }

    // Kept as three words: a UInt128 field would be aligned to 16 bytes and make the slot a third larger. An empty slot is all
    // zero; values from 0 up are stored plus one, so that no used slot looks empty.
    private readonly struct Slot(UInt128 key, long value)
    {
        internal const int Bytes = 24;

        private readonly ulong m_lower = (ulong)key;
        private readonly ulong m_upper = (ulong)(key >> 64);
        private readonly long m_value = checked(value >= 0 ? value + 1 : value);

        internal UInt128 Key => new(m_upper, m_lower);

        internal long Value => m_value > 0 ? m_value - 1 : m_value;

        internal bool IsUsed => m_value != 0;
    }
}
