// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;

namespace Duplicati.Engine.Data;

/// <summary>
/// A small random generator whose output depends on its seed alone, on every machine and runtime. Algorithm: SplitMix64
/// (Steele, Lea, Flood 2014). Not for secrets.
/// </summary>
internal struct SplitMix64
{
    private ulong m_state;

    /// <summary>Starts a sequence.</summary>
    /// <param name="seed">Any number.</param>
    public SplitMix64(ulong seed) => m_state = seed;

    /// <summary>The next 64 bits.</summary>
    public ulong Next()
    {
        var z = m_state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    /// <summary>A number from 0 up to, not including, 1.</summary>
    public double Fraction() => (Next() >> 11) * (1.0 / (1UL << 53));

    /// <summary>Fills bytes.</summary>
    /// <param name="target">The bytes.</param>
    public void Fill(Span<byte> target)
    {
        while (target.Length >= sizeof(ulong))
        {
            BinaryPrimitives.WriteUInt64LittleEndian(target, Next());
            target = target[sizeof(ulong)..];
        }

        if (target.IsEmpty)
            return;
        var last = Next();
        for (var i = 0; i < target.Length; i++, last >>= 8)
            target[i] = (byte)last;
    }
}
