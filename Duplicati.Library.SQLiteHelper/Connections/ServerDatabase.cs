// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Data;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Decryption;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>Opens the database of the server, which old versions may have left encrypted.</summary>
internal static class ServerDatabase
{
    private const string DecryptLogId = "SQLiteRC4Decrypter";

    private static readonly string LogTag = Log.LogTagFromType(typeof(SQLiteLoader));

    /// <summary>
    /// Decrypts the file in place if that is needed and a password is given, then opens it and proves that it can be read.
    /// </summary>
    /// <exception cref="UserInformationException">It could not be decrypted (<c>RC4DecryptionFailed</c>) or is not open afterwards
    /// (<c>DatabaseOpenFailed</c>).</exception>
    /// <exception cref="SqliteException">It is no database, locked or damaged; the connection is disposed.</exception>
    internal static void Open(SqliteConnection connection, string path, string? password)
    {
        if (!string.IsNullOrWhiteSpace(password) && EncryptedDatabase.IsEncrypted(path))
            Decrypt(path, password);

        try
        {
            FileOpening.Open(connection, path);
            RawSql.Run(connection, PragmaSql.ReadSchema);
        }
        catch
        {
            DisposeQuietly(connection);
            throw;
        }

        if (connection.State != ConnectionState.Open)
            throw new UserInformationException($"The database {path} could not be opened.", "DatabaseOpenFailed");
    }

    private static void Decrypt(string path, string password)
    {
        Log.WriteWarningMessage(
            LogTag,
            DecryptLogId,
            null,
            "The database {0} is encrypted in an old way that is no longer supported; it is decrypted now",
            path
        );
        try
        {
            EncryptedDatabase.Decrypt(path, password);
        }
        catch (Exception exception)
        {
            Log.WriteErrorMessage(LogTag, DecryptLogId, exception, "The database {0} could not be decrypted", path);
            throw new UserInformationException(
                $"The database {path} could not be decrypted: {exception.Message}",
                "RC4DecryptionFailed",
                exception
            );
        }

        Log.WriteInformationMessage(LogTag, DecryptLogId, "The database {0} was decrypted", path);
    }

    // The reason why it could not be opened is the one to be told.
    private static void DisposeQuietly(SqliteConnection connection)
    {
        try
        {
            connection.Dispose();
        }
        catch (SqliteException exception)
        {
            Log.WriteVerboseMessage(
                LogTag,
                "FailedToDisposeConnection",
                exception,
                "A connection that could not be opened could not be closed either"
            );
        }
    }
}
