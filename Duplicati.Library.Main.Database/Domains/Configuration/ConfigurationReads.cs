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
