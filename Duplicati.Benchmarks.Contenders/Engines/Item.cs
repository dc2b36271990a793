// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Benchmarks.Micro;

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>The rows that every engine gets: the same hashes, sizes and volumes for the same seed.</summary>
internal static class Item
{
    /// <summary>Key of a row.</summary>
    public static string Hash(int row) => Encoding.ASCII.GetString(BlockKeys.Latest.Text(row));

    /// <summary>Its size.</summary>
    public static long Size(int row) => BlockKeys.Size(row);

    /// <summary>Its volume.</summary>
    public static long Volume(int row) => BlockTable.Volume(row);

    /// <summary>Folds a row that was found.</summary>
    public static long Fold(long sum, long size, long volume) => BlockTable.Fold(BlockTable.Fold(sum, size), volume);

    /// <summary>Folds a volume of <see cref="IEngine.Sum"/>.</summary>
    public static long Fold(long sum, long volume, long count, long size) => BlockTable.Fold(Fold(sum, volume, count), size);
}
