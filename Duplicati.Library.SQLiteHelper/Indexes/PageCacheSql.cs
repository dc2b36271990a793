// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Globalization;

namespace Duplicati.Library.SQLiteHelper.Indexes;

internal static class PageCacheSql
{
    // No table; pages, or kibibytes if negative.
    internal const string ReadCacheSize = "PRAGMA cache_size";

    // No table.
    internal const string ReadPageBytes = "PRAGMA page_size";

    /// <summary>Sets the size of the page cache: pages, or kibibytes if negative. A pragma cannot be bound; this is a number.</summary>
    internal static string SetCacheSize(long size) => string.Create(CultureInfo.InvariantCulture, $"PRAGMA cache_size = {size}");
}
