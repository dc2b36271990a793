// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
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

    /// <summary>Makes a database of a version that is asked for, or upgrades to it; one that is beyond it is left alone.</summary>
    /// <param name="connection">A connection without a transaction.</param>
    /// <param name="path">The database file.</param>
    /// <param name="schema">A type beside whose namespace the schema is embedded as resources.</param>
    /// <param name="version">The version, at most <see cref="NewestKnown"/>.</param>
    public static void To(SqliteConnection connection, string path, Type schema, int version)
    {
        var resources = SchemaResources.Of(schema);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(version, resources.NewestKnown);
        new SchemaMigrator(connection, path, resources) { Version = version }.Run();
    }

    /// <summary>The newest version that is known; databases of it are used as they are. Opens no database.</summary>
    /// <param name="schema">A type beside whose namespace the schema is embedded as resources.</param>
    /// <returns>The version.</returns>
    public static int NewestKnown(Type schema) => SchemaResources.Of(schema).NewestKnown;

    /// <summary>The version that an upgrade leads to. Lists the resources and opens no database.</summary>
    /// <param name="schema">A type beside whose namespace the schema is embedded as resources.</param>
    /// <returns>The version.</returns>
    public static int NewestVersion(Type schema) => SchemaResources.Of(schema).NewestVersion;
}

/// <summary>Leads a database back to an older version of its schema. What the older one cannot keep is lost.</summary>
internal static class SchemaDowngrade
{
    /// <summary>Copies the database beside itself, then undoes one version after the other, all in one transaction.</summary>
    /// <param name="connection">A connection without a transaction; no index may be left out.</param>
    /// <param name="path">The database file.</param>
    /// <param name="version">The version to lead to; nothing is done if the database is not beyond it.</param>
    /// <param name="steps">What undoes a version, by its number.</param>
    /// <returns>The path of the copy; null if nothing was done.</returns>
    /// <exception cref="KeyNotFoundException">There is no step for a version on the way. Nothing was changed.</exception>
    /// <exception cref="IOException">The copy cannot be made.</exception>
    /// <exception cref="SqliteException">The database cannot be read or written, or a step failed. Nothing was changed.</exception>
    public static string? Run(SqliteConnection connection, string path, int version, IReadOnlyDictionary<int, string> steps)
    {
        ArgumentNullException.ThrowIfNull(connection);
        ArgumentNullException.ThrowIfNull(steps);
        using var transaction = new ImmediateTransaction(connection);
        var from = SchemaVersion.Read(connection);
        if (from <= version)
            return null;

        var copy = SafetyCopy.Make(path, from, SafetyCopy.OTHER_EXTENSION);
        for (var undone = from; undone > version; undone--)
        {
            using var command = connection.CreateCommand();
            command.CommandText = steps[undone];
            command.ExecuteNonQuery();
        }

        SchemaVersion.Write(connection, version);
        transaction.Commit();
        return copy;
    }
}
