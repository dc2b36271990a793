// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Configuration;

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
