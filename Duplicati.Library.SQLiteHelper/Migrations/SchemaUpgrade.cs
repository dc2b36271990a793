// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Scripts;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Migrations;

/// <summary>An upgrade as a part of opening a database that this layer fills.</summary>
internal static class SchemaUpgrade
{
    /// <summary><see cref="DatabaseUpgrader.UpgradeDatabase"/> for who has called <see cref="LeftOutIndexes.Complete"/> just now.</summary>
    /// <param name="connection">A connection without a transaction.</param>
    /// <param name="path">The database file.</param>
    /// <param name="schema">A type beside whose namespace the schema is embedded as resources.</param>
    /// <param name="wasTried">What that call returned: what could not be built is not tried again.</param>
    public static void Run(SqliteConnection connection, string path, Type schema, bool wasTried) =>
        new SchemaMigrator(connection, path, SchemaResources.Of(schema)) { WasCompletionTried = wasTried }.Run();

    /// <summary>The version that an upgrade leads to. Lists the resources and opens no database.</summary>
    /// <param name="schema">A type beside whose namespace the schema is embedded as resources.</param>
    /// <returns>The version.</returns>
    public static int NewestVersion(Type schema) => SchemaResources.Of(schema).NewestVersion;
}
