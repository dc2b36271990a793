// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;

namespace Duplicati.UnitTest.Main.Batch;

/// <summary>Blocks for batch members: digests made of numbers, packed one after the other, with sizes and room for the answers.</summary>
internal sealed class BatchBlocks
{
    internal BatchBlocks(int digestBytes, params IReadOnlyList<(int Number, long Size)> blocks)
    {
        DigestBytes = digestBytes;
        Hashes = [.. blocks.SelectMany(x => Digest(x.Number, digestBytes))];
        Sizes = [.. blocks.Select(x => x.Size)];
        Ids = new long[blocks.Count];
        IsNew = new bool[blocks.Count];
    }

    internal int DigestBytes { get; }

    internal byte[] Hashes { get; }

    internal long[] Sizes { get; }

    internal long[] Ids { get; }

    internal bool[] IsNew { get; }

    /// <summary>Blocks of one size with the numbers of a range.</summary>
    internal static BatchBlocks Range(int first, int count) =>
        new(32, [.. Enumerable.Range(first, count).Select(number => (number, 1024L))]);

    /// <summary>A digest of any length that depends on a number only.</summary>
    internal static byte[] Digest(int number, int bytes) =>
        [
            .. Enumerable
                .Range(0, (bytes + 63) / 64)
                .SelectMany(part => SHA512.HashData(BitConverter.GetBytes(number + (part * 1_000_003L))))
                .Take(bytes),
        ];

    /// <summary>The text that the tables have for a digest.</summary>
    internal static string Text(int number, int bytes = 32) => Convert.ToBase64String(Digest(number, bytes));

    /// <summary>The text of a block's hash.</summary>
    internal string Text(long index) => Convert.ToBase64String(Hashes.AsSpan((int)index * DigestBytes, DigestBytes));
}
