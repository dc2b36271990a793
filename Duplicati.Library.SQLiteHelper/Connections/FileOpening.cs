// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.IO;
using Duplicati.Library.Common.IO;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// Opens a database file as all of Duplicati's are opened: without pooling, patient with locks, for the current user only.
/// </summary>
internal static class FileOpening
{
    private const string PermissionLogId = "SQLiteFilePermissionError";
    private const int BusyTimeoutMilliseconds = 10000;

    private static readonly string LogTag = Log.LogTagFromType(typeof(SQLiteLoader));

    /// <summary>
    /// Opens <paramref name="path"/> with a connection that is not open; the file is made if it does not exist, its folder is not.
    /// </summary>
    /// <exception cref="SqliteException">The file cannot be opened.</exception>
    internal static void Open(SqliteConnection connection, string path)
    {
        var existed = File.Exists(path);
        connection.ConnectionString = new SqliteConnectionStringBuilder { DataSource = path, Pooling = false }.ConnectionString;
        connection.Open();

        // Before anything is written: the log and its index take over the permissions that the database has when they are made.
        RawSql.Run(
            connection,
            PragmaSql.Set(PragmaCatalogue.BusyTimeout, BusyTimeoutMilliseconds.ToString(System.Globalization.CultureInfo.InvariantCulture))
        );
        if (!existed || !Util.AllowInsecureDataFolder())
            RestrictToCurrentUser(path);
    }

    private static void RestrictToCurrentUser(string path)
    {
        try
        {
            SystemIO.IO_OS.FileSetPermissionUserRWOnly(path);
        }
        catch (Exception exception)
        {
            Log.WriteWarningMessage(
                LogTag,
                PermissionLogId,
                exception,
                "The permissions of the database {0} could not be restricted to the current user",
                path
            );
        }
    }
}
