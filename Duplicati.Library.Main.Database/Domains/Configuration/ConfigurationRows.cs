// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Configuration;

/// <summary>The options that the database remembers.</summary>
internal static class ConfigurationReads
{
    // Small table, about ten rows.
    private const string AllSql = """SELECT "Key", "Value" FROM "Configuration" """;

    // The primary key's index.
    private const string HasSql = """SELECT 1 FROM "Configuration" WHERE "Key" = ?1""";

    /// <summary>All options in a fresh dictionary with ordinal keys.</summary>
    internal static Dictionary<string, string> All(DatabaseSession session)
    {
        var result = new Dictionary<string, string>(StringComparer.Ordinal);
        session.Tell(AllSql);
        using var select = session.Take(AllSql);
        while (select.Read())
            result[select.GetString(0)!] = select.GetString(1) ?? "";
        return result;
    }

    /// <summary>Whether an option is present, whatever its value.</summary>
    internal static bool Has(DatabaseSession session, string key)
    {
        session.Tell(HasSql, key);
        using var select = session.Take(HasSql);
        return select.Bind(1, key).ExecuteInt64() == 1;
    }
}

/// <summary>Changes to the options that the database remembers. Nothing here commits.</summary>
internal static class ConfigurationWrites
{
    // The primary key's index.
    private const string Set = """INSERT OR REPLACE INTO "Configuration" ("Key", "Value") VALUES (?1, ?2)""";

    // The primary key's index.
    private const string Remove = """DELETE FROM "Configuration" WHERE "Key" = ?1""";

    // Small table, about ten rows.
    private const string Clear = """DELETE FROM "Configuration" """;

    /// <summary>Makes the given options the only ones.</summary>
    internal static void Replace(DatabaseSession session, IEnumerable<KeyValuePair<string, string>> options)
    {
        session.Run(Clear);
        using var insert = session.Take(Set);
        foreach (var (key, value) in options)
            insert.Bind(1, key).Bind(2, value).ExecuteNonQuery();
    }

    /// <summary>Sets an option to <c>true</c>, or removes it.</summary>
    internal static void SetFlag(DatabaseSession session, string key, bool value)
    {
        if (value)
        {
            using var insert = session.Take(Set);
            insert.Bind(1, key).Bind(2, "true").ExecuteNonQuery();
            return;
        }

        using var delete = session.Take(Remove);
        delete.Bind(1, key).ExecuteNonQuery();
    }
}
