#nullable enable

using System;
using System.Runtime.InteropServices;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Keys with their row ids, exact, in memory: open addressing with linear probing in 256 segments that grow on their own by a
/// quarter at 75 % load, at different times, so that growing copies about 1/256 of the whole.
/// </summary>
/// <remarks>44 bytes a slot, 59 to 74 bytes an entry. Not thread-safe.</remarks>
internal sealed class BlockKeyTable
{
    /// <summary>The greatest id that fits.</summary>
    internal const long MaxId = (1L << 56) - 1;

    private const int SegmentCount = 256;
    private const int SlotBytes = 44;
    private const int FirstCapacity = 32;

    private readonly Slot[]?[] m_slots = new Slot[SegmentCount][];
    private readonly int[] m_counts = new int[SegmentCount];

    /// <summary>Number of entries.</summary>
    internal long Count { get; private set; }

    /// <summary>Bytes of all slots.</summary>
    internal long Bytes { get; private set; }

    /// <summary>The id of a key, or -1.</summary>
    internal long Find(in BlockKey key) => Find(key, key.Hash);

    /// <summary>The id of a key, or -1.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its <see cref="BlockKey.Hash"/>.</param>
    internal long Find(in BlockKey key, ulong hash)
    {
        var slots = m_slots[Segment(hash)];
        if (slots is null)
            return -1;

        var tag = key.Length + 1;
        for (var i = Position(hash, slots.Length); ; i = i + 1 == slots.Length ? 0 : i + 1)
        {
            ref readonly var slot = ref slots[i];
            if (slot.IdAndTag == 0)
                return -1;
            if (slot.A == key.A && slot.B == key.B && slot.Size == key.Size && slot.C == key.C && slot.D == key.D && (int)(slot.IdAndTag >>> 56) == tag)
                return slot.IdAndTag & MaxId;
        }
    }

    /// <summary>
    /// Reads the slot where a key's search begins. Called for several keys before any is looked up, it lets the processor fetch
    /// their memory at the same time instead of one after the other.
    /// </summary>
    /// <returns>A number of no meaning that depends on both ends of the slot, to be used so that the reading is not left out.</returns>
    internal int Touch(ulong hash)
    {
        if (m_slots[Segment(hash)] is not { } slots)
            return 0;

        ref readonly var slot = ref slots[Position(hash, slots.Length)];
        return (int)slot.A ^ slot.Size;
    }

    /// <summary>Adds a key that is not there.</summary>
    /// <param name="key">The key.</param>
    /// <param name="id">1 to <see cref="MaxId"/>.</param>
    internal void Add(in BlockKey key, long id)
    {
        var hash = key.Hash;
        var segment = Segment(hash);
        var slots = m_slots[segment];
        if (slots is null || (m_counts[segment] + 1) * 4L > slots.Length * 3L)
            slots = Grow(segment);

        Place(slots, hash, new Slot(key, id));
        m_counts[segment]++;
        Count++;
    }

    /// <summary>Takes a key out. False if it is not there.</summary>
    internal bool Remove(in BlockKey key)
    {
        var hash = key.Hash;
        var segment = Segment(hash);
        if (Find(key) < 0 || m_slots[segment] is not { } slots)
            return false;

        var i = Position(hash, slots.Length);
        while (!slots[i].Key.Equals(key))
            i = i + 1 == slots.Length ? 0 : i + 1;
        CloseGap(slots, i);
        m_counts[segment]--;
        Count--;
        return true;
    }

    /// <summary>Forgets everything, keeping the memory.</summary>
    internal void Clear()
    {
        if (Count == 0)
            return;

        foreach (var slots in m_slots)
        {
            if (slots is not null)
                Array.Clear(slots);
        }

        Array.Clear(m_counts);
        Count = 0;
    }

    /// <summary>Moves everything into a smaller structure, giving memory back as it goes.</summary>
    internal void MoveTo(FingerprintTable target)
    {
        for (var segment = 0; segment < SegmentCount; segment++)
        {
            foreach (var slot in m_slots[segment] ?? [])
            {
                if (slot.IdAndTag != 0)
                    target.Add(slot.Key.Hash, slot.IdAndTag & MaxId);
            }

            m_slots[segment] = null;
            m_counts[segment] = 0;
        }

        Count = 0;
        Bytes = 0;
    }

    private Slot[] Grow(int segment)
    {
        var old = m_slots[segment];
        // Segments start at sizes spread over one growth step, so that they do not all grow at the same time.
        var capacity = old is null ? FirstCapacity + (segment / 32) : old.Length + (old.Length / 4);
        var slots = new Slot[capacity];
        foreach (ref readonly var slot in old.AsSpan())
        {
            if (slot.IdAndTag != 0)
                Place(slots, slot.Key.Hash, slot);
        }

        Bytes += (capacity - (old?.Length ?? 0)) * (long)SlotBytes;
        return m_slots[segment] = slots;
    }

    private static void Place(Slot[] slots, ulong hash, in Slot entry)
    {
        var i = Position(hash, slots.Length);
        while (slots[i].IdAndTag != 0)
            i = i + 1 == slots.Length ? 0 : i + 1;
        slots[i] = entry;
    }

    // Later entries of the run move up where the gap lies between their own position and where they are.
    private static void CloseGap(Slot[] slots, int gap)
    {
        for (var i = gap; ;)
        {
            i = i + 1 == slots.Length ? 0 : i + 1;
            if (slots[i].IdAndTag == 0)
                break;

            var home = Position(slots[i].Key.Hash, slots.Length);
            var stays = gap <= i ? gap < home && home <= i : gap < home || home <= i;
            if (stays)
                continue;
            slots[gap] = slots[i];
            gap = i;
        }

        slots[gap] = default;
    }

    private static int Segment(ulong hash) => (int)(hash >> 56);

    private static int Position(ulong hash, int capacity) => (int)(((hash & 0xFFFFFFFF) * (ulong)capacity) >> 32);

    [StructLayout(LayoutKind.Sequential, Pack = 4)]
    private readonly struct Slot
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

        internal BlockKey Key => new(A, B, C, D, Size, (int)(IdAndTag >>> 56) - 1);
    }
}
