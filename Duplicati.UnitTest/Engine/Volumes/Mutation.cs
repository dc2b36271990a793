// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>Damages bytes at random, as disks, networks and adversaries do.</summary>
internal static class Mutation
{
    /// <summary>Applies one to three damages.</summary>
    internal static byte[] Apply(byte[] original, Random random)
    {
        var bytes = original.ToArray();
        for (var count = random.Next(1, 4); count > 0; count--)
            bytes = One(bytes, random);
        return bytes;
    }

    private static byte[] One(byte[] bytes, Random random)
    {
        if (bytes.Length == 0)
            return bytes;
        // Half of the damage goes to the last tenth, where the directory of a container is.
        var from = random.Next(2) == 0 ? 0 : bytes.Length * 9 / 10;
        var at = random.Next(from, bytes.Length);
        var length = Math.Min(bytes.Length - at, random.Next(1, 64));
        switch (random.Next(8))
        {
            case 0:
                bytes[at] ^= (byte)(1 << random.Next(8));
                return bytes;
            case 1:
                random.NextBytes(bytes.AsSpan(at, length));
                return bytes;
            case 2:
                bytes.AsSpan(at, length).Fill((byte)(random.Next(2) * 255));
                return bytes;
            case 3:
                return bytes[..at];
            case 4:
                return [.. bytes[..at], .. bytes[(at + length)..]];
            case 5:
                return [.. bytes[..(at + length)], .. bytes[at..]];
            case 6:
                // A huge or negative little-endian number.
                BitConverter
                    .GetBytes(random.Next(2) == 0 ? int.MaxValue : int.MinValue)
                    .AsSpan(0, Math.Min(4, length))
                    .CopyTo(bytes.AsSpan(at));
                return bytes;
            default:
                var other = random.Next(bytes.Length - length + 1);
                bytes.AsSpan(other, length).ToArray().CopyTo(bytes.AsSpan(at));
                return bytes;
        }
    }
}

/// <summary>Makes containers lie about the size of what they hold.</summary>
internal static class DeclaredSize
{
    /// <summary>Rewrites the uncompressed size of the last entry in the directory, in Zip64 form where it needs one.</summary>
    internal static byte[] Rewrite(byte[] volume, long size)
    {
        var end = volume.Length - 22;
        var directory = BinaryPrimitives.ReadInt32LittleEndian(volume.AsSpan(end + 16));
        var last = volume.AsSpan(0, end).LastIndexOf("PK\u0001\u0002"u8);
        Assert.That(last, Is.GreaterThanOrEqualTo(directory));
        if (size <= uint.MaxValue)
        {
            var changed = volume.ToArray();
            BinaryPrimitives.WriteUInt32LittleEndian(changed.AsSpan(last + 24), (uint)size);
            return changed;
        }

        Span<byte> extra = stackalloc byte[12];
        BinaryPrimitives.WriteInt16LittleEndian(extra, 1);
        BinaryPrimitives.WriteInt16LittleEndian(extra[2..], 8);
        BinaryPrimitives.WriteInt64LittleEndian(extra[4..], size);
        var enlarged = new List<byte>(volume[..end]);
        enlarged.AddRange(extra);
        enlarged.AddRange(volume[end..]);
        var bytes = enlarged.ToArray();
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(last + 24), uint.MaxValue);
        BinaryPrimitives.WriteInt16LittleEndian(bytes.AsSpan(last + 30), (short)extra.Length);
        var directorySize = BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(end + 12 + 12));
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(end + 12 + 12), directorySize + extra.Length);
        return bytes;
    }
}
