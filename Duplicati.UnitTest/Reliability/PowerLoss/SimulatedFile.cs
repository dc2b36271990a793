// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>A file on a disk that may lose its power: what is flushed, what a reader sees, and the steps between the two.</summary>
internal sealed class SimulatedFile(byte[] content)
{
    /// <summary>What a disk writes as a whole.</summary>
    internal const int Sector = 512;

    private readonly List<DiskStep> m_unflushed = [];
    private byte[] m_flushed = content;
    private readonly Image m_seen = new(content);

    /// <summary>What a reader sees, and what is there after a loss of power if all had reached the disk.</summary>
    internal byte[] Seen => m_seen.ToArray();

    /// <summary>What is there at least.</summary>
    internal byte[] Flushed => m_flushed;

    internal bool IsFlushed => m_unflushed.Count == 0;

    internal void Apply(DiskStep step)
    {
        if (step.Kind == DiskStepKind.Sync)
        {
            if (!IsFlushed)
                m_flushed = Seen;
            m_unflushed.Clear();
            return;
        }

        m_unflushed.Add(step);
        m_seen.Apply(step);
    }

    /// <summary>
    /// What can be there: of each sector any of its contents since the last flush, whatever the order of the writes; the length that the
    /// sectors which are there give it, or the one that it was set to.
    /// </summary>
    /// <param name="random">Chooses.</param>
    /// <param name="share">How many of the sectors have reached the disk, from 0 to 1.</param>
    /// <param name="torn">False: a write is there as a whole or not at all.</param>
    internal byte[] Torn(Random random, double share, bool torn)
    {
        var disk = new Image(m_flushed);
        var cache = new Image(m_flushed);
        foreach (var step in m_unflushed)
        {
            cache.Apply(step);
            var whole = random.NextDouble() < share;
            if (step.Kind == DiskStepKind.Truncate)
            {
                if (whole)
                    disk.Apply(step);
                continue;
            }

            var end = step.Offset + step.Data!.Length;
            for (var start = step.Offset / Sector * Sector; start < end; start += Sector)
            {
                if (torn ? random.NextDouble() < share : whole)
                    disk.CopyFrom(cache, start, Sector);
            }
        }

        // The length can be there before the content is.
        if (torn && random.Next(4) == 0 && cache.Length > disk.Length)
            disk.SetLength(cache.Length);
        return disk.ToArray();
    }

    /// <summary>Bytes that grow.</summary>
    private sealed class Image(byte[] content)
    {
        private byte[] m_bytes = (byte[])content.Clone();

        internal long Length { get; private set; } = content.Length;

        internal byte[] ToArray() => m_bytes[..(int)Length];

        internal void Apply(DiskStep step)
        {
            if (step.Kind == DiskStepKind.Truncate)
            {
                SetLength(step.Offset);
                return;
            }

            if (step.Offset + step.Data!.Length > Length)
                SetLength(step.Offset + step.Data.Length);
            step.Data.CopyTo(m_bytes, step.Offset);
        }

        internal void SetLength(long length)
        {
            if (length > m_bytes.Length)
                Array.Resize(ref m_bytes, (int)Math.Max(length, 2L * m_bytes.Length));
            if (length < Length)
                Array.Clear(m_bytes, (int)length, (int)(Length - length));
            Length = length;
        }

        internal void CopyFrom(Image other, long start, int length)
        {
            length = (int)Math.Min(length, other.Length - start);
            if (length <= 0)
                return;
            if (start + length > Length)
                SetLength(start + length);
            Array.Copy(other.m_bytes, start, m_bytes, start, length);
        }
    }
}
