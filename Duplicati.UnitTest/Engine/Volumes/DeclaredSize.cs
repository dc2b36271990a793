// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;

namespace Duplicati.UnitTest.Engine.Volumes;

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
