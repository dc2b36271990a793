// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Records;

/// <summary>Changes to the options that the database remembers. Nothing here commits.</summary>
internal static class ConfigurationWrites
{
    /// <summary>Makes the given options the only ones.</summary>
    internal static void Replace(DatabaseSession session, IEnumerable<KeyValuePair<string, string>> options)
    {
        session.Run(ConfigurationSql.Clear);
        using var insert = session.TakeDirect(ConfigurationSql.Set);
        foreach (var (key, value) in options)
            insert.Bind(1, key).Bind(2, value).ExecuteNonQuery();
    }

    /// <summary>Sets an option to <c>true</c>, or removes it.</summary>
    internal static void SetFlag(DatabaseSession session, string key, bool value)
    {
        if (value)
        {
            using var insert = session.TakeDirect(ConfigurationSql.Set);
            insert.Bind(1, key).Bind(2, "true").ExecuteNonQuery();
            return;
        }

        using var delete = session.TakeDirect(ConfigurationSql.Remove);
        delete.Bind(1, key).ExecuteNonQuery();
    }
}
