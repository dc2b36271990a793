// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

// In core the data layer is compiled into this assembly; its own projects are let in by the project file.
[assembly: InternalsVisibleTo("Duplicati.Library.Main")]

namespace Duplicati.Library.SQLiteHelper;

/// <summary>Makes, opens and tunes SQLite connections.</summary>
/// <remarks>
/// Every member may be called from any thread. The members that return a task do not block the caller while the file is opened.
/// </remarks>
public static class SQLiteLoader
{
    /// <summary>
    /// Opens the database of the server; one that an old version left encrypted is decrypted in place first. Sets no pragmas but the busy
    /// timeout.
    /// </summary>
    /// <param name="con">A connection that is not open.</param>
    /// <param name="databasePath">The file; it is made if it does not exist.</param>
    /// <param name="decryptionPassword">The password of an encrypted file; null or blank if there is none.</param>
    /// <exception cref="Interface.UserInformationException">It could not be decrypted (<c>RC4DecryptionFailed</c>) or opened
    /// (<c>DatabaseOpenFailed</c>).</exception>
    /// <exception cref="SqliteException">It is no database, locked or damaged; the connection is disposed.</exception>
    public static async Task OpenDatabaseAsync(SqliteConnection con, string databasePath, string? decryptionPassword) =>
        await Task.Run(() => ServerDatabase.Open(con, databasePath, decryptionPassword)).ConfigureAwait(false);

    /// <summary>
    /// A new connection that is not open and has no connection string; SQLite's temporary files are sent to Duplicati's folder.
    /// </summary>
    public static SqliteConnection LoadConnection() => ConnectionOpener.Create();

    /// <summary>As <see cref="LoadConnection()"/>.</summary>
    public static Task<SqliteConnection> LoadConnectionAsync() => Task.FromResult(ConnectionOpener.Create());

    /// <summary>
    /// Sets the pragmas of <see cref="ConnectionOptions.Current"/>, overridden by the environment variable
    /// <c>CUSTOMSQLITEOPTIONS_DUPLICATI</c>. What does not take is a warning.
    /// </summary>
    /// <param name="con">An open connection.</param>
    /// <returns>The same connection.</returns>
    public static async Task<SqliteConnection> ApplyCustomPragmasAsync(SqliteConnection con) =>
        await Task.Run(() => ConnectionOpener.Standard.Tune(con, con.DataSource, ConnectionOptions.Current)).ConfigureAwait(false);

    /// <summary>
    /// Opens a database file, making it (but not its folder) if it does not exist, with the options of
    /// <see cref="ConnectionOptions.Current"/>.
    /// </summary>
    /// <param name="targetpath">The file.</param>
    /// <returns>An open connection.</returns>
    /// <exception cref="ArgumentNullException">The path is null or blank.</exception>
    /// <exception cref="SqliteException">The file cannot be opened.</exception>
    public static SqliteConnection LoadConnection(string targetpath) =>
        ConnectionOpener.Standard.Open(targetpath, ConnectionOptions.Current);

    /// <summary>As <see cref="LoadConnection(string)"/>, without blocking the caller.</summary>
    /// <param name="targetpath">The file.</param>
    /// <returns>An open connection.</returns>
    /// <exception cref="ArgumentNullException">The path is null or blank.</exception>
    /// <exception cref="SqliteException">The file cannot be opened.</exception>
    public static async Task<SqliteConnection> LoadConnectionAsync(string targetpath) =>
        await Task.Run(() => ConnectionOpener.Standard.Open(targetpath, ConnectionOptions.Current)).ConfigureAwait(false);

    /// <summary>The type of all connections.</summary>
    public static Type SQLiteConnectionType => typeof(SqliteConnection);

    /// <summary>The version of the SQLite library, such as <c>3.53.3</c>.</summary>
    public static string? SQLiteVersion => SqliteEngine.VersionText;
}
