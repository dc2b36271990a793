// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Logging;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>Makes, opens and tunes connections. <see cref="SQLiteLoader"/> is its API.</summary>
/// <remarks>Thread-safe. Opening a healthy local database costs about a millisecond, most of it the file system's.</remarks>
internal sealed class ConnectionOpener
{
    private const string FailedLogId = "FailedToLoadConnectionSQLite";

    private static readonly string LogTag = Log.LogTagFromType(typeof(SQLiteLoader));

    private readonly Func<string, string?> m_networkFileSystemOf;
    private readonly EngineVersionGuard m_guard;

    internal ConnectionOpener(Func<string, string?> networkFileSystemOf, EngineVersionGuard guard)
    {
        m_networkFileSystemOf = networkFileSystemOf;
        m_guard = guard;
    }

    /// <summary>The opener that asks the operating system.</summary>
    internal static ConnectionOpener Standard { get; } = new(FileSystemProbe.NetworkFileSystemOf, EngineVersionGuard.OfProcess);

    /// <summary>A connection that is not open and has no connection string.</summary>
    internal static SqliteConnection Create()
    {
        try
        {
            TemporaryFiles.UseTempFolder();
            return new SqliteConnection();
        }
        catch (Exception exception)
        {
            Log.WriteErrorMessage(LogTag, FailedLogId, exception, "SQLite could not be loaded");
            throw;
        }
    }

    /// <summary>An open connection to a file, with all options set; with those for reading if it is only read.</summary>
    /// <exception cref="ArgumentNullException">The path is null or blank.</exception>
    internal SqliteConnection Open(string targetpath, ConnectionOptions options)
    {
        if (string.IsNullOrWhiteSpace(targetpath))
            throw new ArgumentNullException(nameof(targetpath));

        var connection = Create();
        try
        {
            if (options.ReadingOf(targetpath) is { } file)
            {
                file.Open(connection);
                PragmaApplier.Apply(connection, Effective(targetpath, options).Where(pragma => PragmaCatalogue.IsForReading(pragma.Name)));
                return connection;
            }

            FileOpening.Open(connection, targetpath);
            Tune(connection, targetpath, options);
            return connection;
        }
        catch (Exception exception)
        {
            Log.WriteErrorMessage(LogTag, FailedLogId, exception, "The database {0} could not be opened", targetpath);
            connection.Dispose();
            throw;
        }
    }

    /// <summary>Sets the options of a connection that is open. The content is left alone, its statistics, too.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    internal SqliteConnection Tune(SqliteConnection connection, string path, ConnectionOptions options)
    {
        if (connection.Handle is null)
            throw new InvalidOperationException("The connection is not open.");

        if (options.CommandTimeout is { } seconds)
            connection.DefaultTimeout = seconds;
        var pragmas = Effective(path, options);
        PragmaApplier.Apply(connection, pragmas);
        if (pragmas.Any(pragma => PragmaCatalogue.Is(pragma, PragmaCatalogue.JournalMode, "wal")))
            m_guard.Check();
        return connection;
    }

    /// <summary>The pragmas for a file: those of the options, adapted to its file system, overridden by the user's environment.</summary>
    internal IReadOnlyList<Pragma> Effective(string path, ConnectionOptions options)
    {
        var pragmas = m_networkFileSystemOf(path) is { } fileSystem ? NetworkPragmas.Adapt(options, fileSystem) : options.Pragmas;
        return CustomPragmas.Override(pragmas, Environment.GetEnvironmentVariable(CustomPragmas.Variable));
    }
}
