// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Duplicati.UnitTest.Main.Blocks;

/// <summary>Made-up blocks.</summary>
internal static class BlockFixture
{
    /// <summary>The Base64 text of a digest that depends on a number only.</summary>
    internal static string Hash(long number)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, number);
        return Convert.ToBase64String(SHA256.HashData(bytes));
    }
}
