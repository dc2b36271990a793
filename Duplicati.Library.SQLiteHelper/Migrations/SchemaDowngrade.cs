// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
using Duplicati.Library.SQLiteHelper.Scripts;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Migrations;

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
