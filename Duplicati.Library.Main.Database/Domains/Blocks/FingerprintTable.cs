// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Runtime.InteropServices;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Row ids under 30-bit fingerprints of keys, in memory outside the garbage collector's heap: what it finds are candidates to be
/// verified against the row; what it does not find is not there. Equal fingerprints may be added several times.
/// </summary>
/// <remarks>
/// 6 bytes a slot, 6.8 to 7.7 bytes an entry. The segment gives 10 bits of the fingerprint, the slot holds the other 20, from which
/// also its position follows, so that segments can grow without the keys. At n entries a miss meets n / 2^30 candidates.
/// Not thread-safe.
/// </remarks>
internal sealed class FingerprintTable : IDisposable
{
    /// <summary>The greatest id that fits: five times as many blocks as fit under the largest bound.</summary>
    internal const long MaxId = (1L << IdBits) - 1;

    private const int IdBits = 28;
    private const int SegmentBits = 10;
    private const int FingerprintBits = 20;
    private const int GrowthShift = 3;
    private const int LoadEighths = 7;

    private readonly SlotTable<Slot> m_table;

    /// <summary>An empty table, which takes no memory yet.</summary>
    /// <param name="maxBytes">Bytes after which <see cref="IsFull"/> is set.</param>
    internal FingerprintTable(long maxBytes = long.MaxValue) =>
        m_table = new SlotTable<Slot>(1 << SegmentBits, maxBytes, GrowthShift, LoadEighths);

    /// <summary>Number of entries.</summary>
    internal long Count => m_table.Count;

    /// <summary>Bytes of all slots.</summary>
    internal long Bytes => m_table.Bytes;

    /// <summary>True if no more entries can be added for sure.</summary>
    internal bool IsFull => m_table.IsFull;

    /// <summary>Adds an id.</summary>
    /// <param name="hash">The key's mixed hash.</param>
    /// <param name="id">1 to <see cref="MaxId"/>.</param>
    internal void Add(ulong hash, long id) => m_table.Add(Segment(hash), new Slot(Fingerprint(hash), (uint)id));

    /// <summary>Gives the candidates for a key one after the other.</summary>
    /// <param name="hash">The key's mixed hash.</param>
    /// <param name="position">Start with -1 and hand it back unchanged.</param>
    /// <param name="id">The next candidate.</param>
    /// <returns>False when there are no more.</returns>
    internal bool TryNext(ulong hash, ref int position, out long id)
    {
        id = -1;
        var slots = m_table.Slots(Segment(hash));
        if (slots.IsEmpty)
            return false;

        var fingerprint = Fingerprint(hash);
        var i = position < 0 ? Home(fingerprint, slots.Length) : SlotTable<Slot>.Next(position, slots.Length);
        for (; slots[i].IsUsed; i = SlotTable<Slot>.Next(i, slots.Length))
        {
            if (slots[i].Fingerprint != fingerprint)
                continue;

            position = i;
            id = slots[i].Id;
            break;
        }

        GC.KeepAlive(this);
        return id >= 0;
    }

    /// <summary>Forgets everything and gives the memory back.</summary>
    public void Dispose() => m_table.Dispose();

    private static int Segment(ulong hash) => (int)(hash >> (64 - SegmentBits));

    private static uint Fingerprint(ulong hash) => (uint)(hash >> 24) & ((1u << FingerprintBits) - 1);

    private static int Home(uint fingerprint, int capacity) => (int)(((ulong)fingerprint * (ulong)capacity) >> FingerprintBits);

    // Both in 48 bits, the id in the lower ones.
    [StructLayout(LayoutKind.Sequential, Pack = 2)]
    private readonly struct Slot(uint fingerprint, uint id) : ISlot
    {
        private readonly uint m_lower = id | (fingerprint << IdBits);
        private readonly ushort m_upper = (ushort)(fingerprint >> (32 - IdBits));

        internal uint Id => m_lower & (uint)MaxId;

        internal uint Fingerprint => (m_lower >> IdBits) | ((uint)m_upper << (32 - IdBits));

        public bool IsUsed => Id != 0;

        public int Home(int capacity) => FingerprintTable.Home(Fingerprint, capacity);
    }
}
