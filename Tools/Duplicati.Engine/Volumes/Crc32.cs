// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// The checksum of zip entries (CRC-32 of ISO 3309, reflected polynomial EDB88320), eight bytes a step. The framework reads the
/// recorded value but does not compare it.
/// </summary>
internal struct Crc32
{
    private const uint POLYNOMIAL = 0xEDB88320;
    private const int STEP = 8;

    // Table t holds the effect of a byte that t more bytes follow: 8 KB in all.
    private static readonly uint[][] s_tables = MakeTables();

    private uint m_value;

    /// <summary>The checksum of the bytes so far.</summary>
    public readonly uint Value => m_value;

    /// <summary>Adds bytes.</summary>
    /// <param name="data">The bytes.</param>
    public void Append(ReadOnlySpan<byte> data)
    {
        var crc = ~m_value;
        var tables = s_tables;
        for (; data.Length >= STEP; data = data[STEP..])
        {
            var low = BinaryPrimitives.ReadUInt32LittleEndian(data) ^ crc;
            var high = BinaryPrimitives.ReadUInt32LittleEndian(data[sizeof(uint)..]);
            crc =
                tables[7][(byte)low]
                ^ tables[6][(byte)(low >> 8)]
                ^ tables[5][(byte)(low >> 16)]
                ^ tables[4][low >> 24]
                ^ tables[3][(byte)high]
                ^ tables[2][(byte)(high >> 8)]
                ^ tables[1][(byte)(high >> 16)]
                ^ tables[0][high >> 24];
        }

        foreach (var b in data)
            crc = tables[0][(byte)(crc ^ b)] ^ (crc >> 8);
        m_value = ~crc;
    }

    private static uint[][] MakeTables()
    {
        var tables = new uint[STEP][];
        for (var t = 0; t < STEP; t++)
        {
            tables[t] = new uint[256];
            for (var b = 0; b < 256; b++)
                tables[t][b] = t == 0 ? OneByte((uint)b) : tables[0][(byte)tables[t - 1][b]] ^ (tables[t - 1][b] >> 8);
        }

        return tables;
    }

    private static uint OneByte(uint value)
    {
        for (var bit = 0; bit < 8; bit++)
            value = (value >> 1) ^ ((value & 1) * POLYNOMIAL);
        return value;
    }
}
