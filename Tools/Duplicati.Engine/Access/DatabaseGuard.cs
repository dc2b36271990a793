// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Access;

/// <summary>
/// What a database file must be before an operation opens it, and changes anything by that: of a version that is known, whole, and with
/// settings that fit its volumes. A file that cannot be read is left to whoever opens it; one that does not exist is none.
/// </summary>
internal static class DatabaseGuard
{
    /// <summary>For what changes a backup.</summary>
    /// <param name="options">What the operation works on.</param>
    /// <param name="acceptsEmpty">Whether it begins with a file in which there is nothing as with none.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseIsUnfinished</c>, <c>DatabaseIsDamaged</c>,
    /// <c>DatabaseVersionNotSupportedError</c>, <c>DatabaseFormatError</c>.</exception>
    internal static void Require(EngineOptions options, bool acceptsEmpty = false) =>
        Require(options, forReading: false, listsVolumes: true, acceptsEmpty);

    /// <summary>For what reads volumes and writes none.</summary>
    /// <param name="options">What the operation works on.</param>
    /// <param name="listsVolumes">Whether it needs the rows of all volumes.</param>
    internal static void RequireReadable(EngineOptions options, bool listsVolumes) => Require(options, forReading: true, listsVolumes);

    /// <summary>For what works on the file alone, whatever its settings.</summary>
    internal static void RequireSchema(string path) =>
        Look(path, connection => RequireSchema(connection, path), connection => UnfinishedRecreate.Refuse(connection, path));

    /// <summary>The settings and volumes of a file that is being read in a way that changes nothing.</summary>
    /// <param name="file">The file to read.</param>
    /// <param name="path">What it is called.</param>
    /// <param name="forReading">Leave out what only matters to who writes volumes.</param>
    /// <exception cref="DamagedSettingException">One contradicts the volumes.</exception>
    /// <exception cref="UserInformationException">Help id <c>DatabaseIsDamaged</c>.</exception>
    internal static void RequireSettings(string file, string path, bool forReading = true)
    {
        using var reading = new ReadingConnection(file);
        RequireRows(reading.Connection, path, listsVolumes: true);
        StoredSettings.Require(reading.Connection, path, forReading);
    }

    private static void Require(EngineOptions options, bool forReading, bool listsVolumes, bool acceptsEmpty = false)
    {
        var path = options.DatabasePath;
        Look(
            path,
            connection =>
            {
                if (!acceptsEmpty || !SchemaState.IsEmpty(connection))
                    RequireSchema(connection, path);
            },
            connection => UnfinishedRecreate.Refuse(connection, path),
            connection => RequireRows(connection, path, listsVolumes),
            connection => StoredSettings.Require(connection, path, forReading)
        );
    }

    /// <summary>Rows that say what can be.</summary>
    /// <exception cref="UserInformationException">Help id <c>DatabaseIsDamaged</c>.</exception>
    internal static void RequireRows(SqliteConnection connection, string path, bool listsVolumes)
    {
        if (SchemaState.Impossible(connection, path, listsVolumes) is [var unknown, ..])
            throw new UserInformationException($"{unknown}. {Advice.DamagedDatabase()}", "DatabaseIsDamaged");
    }

    private static void RequireSchema(SqliteConnection connection, string path)
    {
        SchemaState.Require(connection, path);
        try
        {
            if (SchemaState.Misfits(connection, path) is [var misfit, ..])
                throw new UserInformationException($"{misfit}. {Advice.RecreateDatabase()}", "DatabaseIsDamaged");
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == raw.SQLITE_ERROR)
        {
            // A view of a table that is not there.
            throw DatabaseIntegrity.Error(path, ex);
        }
    }

    /// <summary>What the schema has to do with a failure: statements fail where tables or columns are missing.</summary>
    /// <param name="failure">It.</param>
    /// <param name="open">Opens the database once more.</param>
    /// <param name="path">What it is called.</param>
    /// <returns>Null if nothing is missing, or the failure is of another kind.</returns>
    internal static UserInformationException? FaultBehind(Exception failure, Func<SqliteConnection> open, string path)
    {
        if (failure.GetBaseException() is not SqliteException { SqliteErrorCode: raw.SQLITE_ERROR })
            return null;
        try
        {
            using var connection = open();
            RequireSchema(connection, path);
            return null;
        }
        catch (UserInformationException ex)
        {
            return ex;
        }
        catch (SqliteException)
        {
            return null;
        }
    }

    private static void Look(string path, params ReadOnlySpan<Action<SqliteConnection>> looks)
    {
        if (!File.Exists(path))
            return;
        try
        {
            using var connection = PlainConnection.Open(path, SqliteOpenMode.ReadWrite);
            foreach (var look in looks)
                Look(connection, look);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == raw.SQLITE_NOTADB)
        {
            throw DatabaseIntegrity.Error(path, ex);
        }
        catch (SqliteException)
        {
            // Whoever opens it says what is wrong with it.
        }
    }

    // What one of them cannot read, the next one may.
    private static void Look(SqliteConnection connection, Action<SqliteConnection> look)
    {
        try
        {
            look(connection);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode != raw.SQLITE_NOTADB)
        {
            // As above.
        }
    }
}
