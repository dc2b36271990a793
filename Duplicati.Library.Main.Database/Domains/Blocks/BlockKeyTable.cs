// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Runtime.InteropServices;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Keys with their row ids, exact, in memory outside the garbage collector's heap: 256 segments of a <see cref="SlotTable{T}"/> that
/// grow on their own by a quarter at 75 % load.
/// </summary>
/// <remarks>44 bytes a slot, 59 to 74 bytes an entry. Not thread-safe.</remarks>
internal sealed class BlockKeyTable : IDisposable
{
    /// <summary>The greatest id that fits.</summary>
    internal const long MaxId = (1L << 56) - 1;

    private const int SegmentCount = 256;
    private const int GrowthShift = 2;
    private const int LoadEighths = 6;

    private readonly SlotTable<Slot> m_table;

    /// <summary>An empty table, which takes no memory yet.</summary>
    /// <param name="maxBytes">Bytes after which <see cref="IsFull"/> is set.</param>
    internal BlockKeyTable(long maxBytes = long.MaxValue) =>
        m_table = new SlotTable<Slot>(SegmentCount, maxBytes, GrowthShift, LoadEighths);

    /// <summary>Number of entries.</summary>
    internal long Count => m_table.Count;

    /// <summary>Bytes of all slots.</summary>
    internal long Bytes => m_table.Bytes;

    /// <summary>True if no more keys can be added for sure.</summary>
    internal bool IsFull => m_table.IsFull;

    /// <summary>The id of a key, or -1.</summary>
    internal long Find(in BlockKey key)
    {
        var hash = key.Hash;
        var slots = m_table.Slots(Segment(hash));
        var i = Position(slots, key, hash);
        var id = i < 0 ? -1 : slots[i].IdAndTag & MaxId;
        GC.KeepAlive(this);
        return id;
    }

    /// <summary>Adds a key that is not there.</summary>
    /// <param name="key">The key.</param>
    /// <param name="id">1 to <see cref="MaxId"/>.</param>
    internal void Add(in BlockKey key, long id) => m_table.Add(Segment(key.Hash), new Slot(key, id));

    /// <summary>Moves everything into a smaller structure and gives the memory back.</summary>
    internal void MoveTo(FingerprintTable target)
    {
        for (var segment = 0; segment < SegmentCount; segment++)
        {
            foreach (ref readonly var slot in m_table.Slots(segment))
            {
                if (slot.IsUsed)
                    target.Add(slot.Key.Hash, slot.IdAndTag & MaxId);
            }
        }

        Dispose();
    }

    /// <summary>Forgets everything and gives the memory back.</summary>
    public void Dispose() => m_table.Dispose();

    private static int Position(ReadOnlySpan<Slot> slots, in BlockKey key, ulong hash)
    {
        if (slots.IsEmpty)
            return -1;

        var tag = key.Length + 1;
        for (var i = Home(hash, slots.Length); ; i = i + 1 == slots.Length ? 0 : i + 1)
        {
            ref readonly var slot = ref slots[i];
            if (slot.IdAndTag == 0)
                return -1;
            if (
                slot.A == key.A
                && slot.B == key.B
                && slot.Size == key.Size
                && slot.C == key.C
                && slot.D == key.D
                && (int)(slot.IdAndTag >>> 56) == tag
            )
                return i;
        }
    }

    private static int Segment(ulong hash) => (int)(hash >> 56);

    private static int Home(ulong hash, int capacity) => (int)(((hash & 0xFFFFFFFF) * (ulong)capacity) >> 32);

    [StructLayout(LayoutKind.Sequential, Pack = 4)]
    private readonly struct Slot : ISlot
    {
        internal readonly ulong A;
        internal readonly ulong B;
        internal readonly ulong C;
        internal readonly ulong D;

        // 0 marks a free slot; the top byte is the digest's length plus one.
        internal readonly long IdAndTag;
        internal readonly int Size;

        internal Slot(in BlockKey key, long id)
        {
            A = key.A;
            B = key.B;
            C = key.C;
            D = key.D;
            IdAndTag = id | ((long)(key.Length + 1) << 56);
            Size = key.Size;
        }

        public bool IsUsed => IdAndTag != 0;

        internal BlockKey Key => new(A, B, C, D, Size, (int)(IdAndTag >>> 56) - 1);

        public int Home(int capacity) => BlockKeyTable.Home(Key.Hash, capacity);
    }
}
