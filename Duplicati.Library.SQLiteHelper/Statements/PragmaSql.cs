// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Linq;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// The text of pragma statements. A pragma cannot be bound, so names and values are held to a form that cannot end the statement.
/// </summary>
internal static class PragmaSql
{
    /// <summary>Whether SQLite knows a pragma (?1, any letter case); a table-valued function, no index.</summary>
    internal const string IsKnown = "SELECT 1 FROM pragma_pragma_list WHERE name = ?1 COLLATE NOCASE";

    /// <summary>Returns to failing at once on a lock.</summary>
    internal const string NoBusyTimeout = "PRAGMA busy_timeout=0";

    /// <summary>The busy timeout in force, milliseconds.</summary>
    internal const string ReadBusyTimeout = "PRAGMA busy_timeout";

    /// <summary>
    /// Copies the whole write-ahead log into the database, flushes both, and empties the log. One row: 1 if a lock was in the way.
    /// </summary>
    internal const string TruncateLog = "PRAGMA wal_checkpoint(TRUNCATE)";

    /// <summary>A number in the header that is the application's own.</summary>
    internal const string ReadUserVersion = "PRAGMA user_version";

    /// <summary>Reads a table of the database: fails if the file is locked, damaged or no database. Walks the schema only.</summary>
    internal const string ReadSchema = "SELECT count(*) FROM sqlite_master";

    /// <summary>The statement that sets a pragma.</summary>
    /// <exception cref="ArgumentException">Name or value has a form no pragma takes.</exception>
    internal static string Set(string name, string value) =>
        IsName(name) && IsValue(value) ? $"PRAGMA {name}={value}" : throw new ArgumentException($"'{name}={value}' is no pragma.");

    /// <summary>The statement that reads a pragma back.</summary>
    /// <exception cref="ArgumentException">The name has a form no pragma has.</exception>
    internal static string Read(string name) => IsName(name) ? $"PRAGMA {name}" : throw new ArgumentException($"'{name}' is no pragma.");

    /// <summary>Letters, digits and underscores.</summary>
    internal static bool IsName(string name) => name.Length > 0 && name.All(IsWordCharacter);

    /// <summary>A word, a number with or without sign, or a text in quotes of either kind that contains none of its own.</summary>
    internal static bool IsValue(string value)
    {
        if (value.Length >= 2 && value[0] is '\'' or '"' && value[^1] == value[0])
            return !value.AsSpan(1, value.Length - 2).ContainsAny(value[0], '\0');

        var digits = value.AsSpan(value.Length > 0 && value[0] is '-' or '+' ? 1 : 0);
        return digits.Length > 0 && !digits.ContainsAnyExcept(ValueCharacters);
    }

    private static readonly System.Buffers.SearchValues<char> ValueCharacters = System.Buffers.SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."
    );

    private static bool IsWordCharacter(char character) => char.IsAsciiLetterOrDigit(character) || character == '_';

    /// <summary>The journal in force.</summary>
    internal const string ReadJournalMode = "PRAGMA journal_mode";

    /// <summary>Bytes of a page.</summary>
    internal const string ReadPageBytes = "PRAGMA page_size";
}

/// <summary>The planner's statistics. Source: https://www.sqlite.org/fileformat2.html, section 2.6.3.</summary>
internal static class StatisticsSql
{
    // The schema table is small and in memory.
    internal const string Exist = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'sqlite_stat1'";

    // Makes the planner read sqlite_stat1 again; analyses nothing.
    internal const string Reload = "ANALYZE sqlite_master";
}
