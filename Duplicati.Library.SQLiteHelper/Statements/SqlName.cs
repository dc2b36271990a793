// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>Names of tables, columns and indexes in SQL texts, where they cannot be bound.</summary>
internal static class SqlName
{
    /// <summary>A name in quotes, whatever is in it. Source: https://www.sqlite.org/lang_keywords.html.</summary>
    public static string Quote(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
    }
}
