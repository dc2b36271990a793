// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Access;

/// <summary>Checks a database file page by page.</summary>
internal static partial class DatabaseIntegrity
{
    /// <summary>Reads every page, and compares each index with its table.</summary>
    private const string CHECK = "PRAGMA integrity_check";

    /// <summary>Reads every page, but does not compare indexes with tables.</summary>
    private const string QUICK_CHECK = "PRAGMA quick_check";

    /// <summary>Reads the schema, one row a table.</summary>
    private const string TABLES = """SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "rootpage" > 0""";

    /// <summary>Reads every page of a table and of its indexes, so that what is found has a name.</summary>
    private const string CHECK_TABLE = """SELECT "integrity_check" FROM pragma_integrity_check($table)""";

    /// <summary>Reads every page of the file, on a thread of its own; twice if something is damaged.</summary>
    /// <param name="path">A database that exists; what a killed process left in its log counts.</param>
    /// <param name="quick">Do not compare indexes with their tables, which takes most of the time.</param>
    /// <param name="token">Stops the check.</param>
    /// <returns>What is damaged, one text each with the file and, where it can be told, the table; empty if all is well.</returns>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseIsDamaged</c>: too damaged to be read at all;
    /// <c>DatabaseFormatError</c>: no database.</exception>
    internal static Task<List<string>> CheckAsync(string path, bool quick, CancellationToken token) =>
        Task.Run(() => Check(path, quick, token), token);

    /// <summary>An error that a damaged file gives, with the name of the file.</summary>
    internal static UserInformationException Error(string path, SqliteException failure) =>
        failure.SqliteErrorCode == raw.SQLITE_NOTADB
            ? new UserInformationException(
                $"The file {path} is no database, or its first page is damaged. {failure.Message}",
                "DatabaseFormatError",
                failure
            )
            : new UserInformationException(
                $"The database {path} is damaged. {Advice.RecreateDatabase()} {failure.Message}",
                "DatabaseIsDamaged",
                failure
            );

    /// <summary>
    /// True for an error that a check gives only of a damaged file, or of one that is no database. Damaged lengths show as values too big,
    /// or as no memory.
    /// </summary>
    internal static bool IsDamage(SqliteException failure) =>
        failure.SqliteErrorCode
            is raw.SQLITE_CORRUPT
                or raw.SQLITE_NOTADB
                or raw.SQLITE_TOOBIG
                or raw.SQLITE_NOMEM
                or raw.SQLITE_FORMAT
                or raw.SQLITE_ERROR;

    private static List<string> Check(string path, bool quick, CancellationToken token)
    {
        using var reading = new ReadingConnection(path);
        var connection = reading.Connection;
        try
        {
            using var stop = token.Register(() => EngineControl.Interrupt(connection));
            var found = Findings(connection, quick ? QUICK_CHECK : CHECK);
            return found.Count == 0 ? Misfits(connection, path) : Named(connection, path, found);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == raw.SQLITE_INTERRUPT && token.IsCancellationRequested)
        {
            throw new OperationCanceledException(ex.Message, ex, token);
        }
        catch (SqliteException ex) when (IsDamage(ex))
        {
            throw Error(path, ex);
        }
    }

    // Damage within the text of the schema is none to the engine.
    private static List<string> Misfits(SqliteConnection connection, string path) =>
        SchemaState.Find(connection, path) is null ? SchemaState.Misfits(connection, path) : [];

    // The check of the whole file says which page is damaged, but not whose it is.
    private static List<string> Named(SqliteConnection connection, string path, List<string> found)
    {
        var tables = DumpQuery.Rows(connection, TABLES, row => row.GetString(0)).ToList();
        var named = tables
            .SelectMany(table =>
                Findings(connection, CHECK_TABLE, ("$table", table)).Select(x => $"The database {path} is damaged in table {table}: {x}")
            )
            .ToList();
        return Alike(named.Count > 0 ? named : found.Select(x => $"The database {path} is damaged: {x}"));
    }

    // An index that lacks a thousand rows is damaged in one way.
    private static List<string> Alike(IEnumerable<string> found) =>
        [
            .. found
                .GroupBy(x => Digits().Replace(x, "#"), StringComparer.Ordinal)
                .Select(x => x.Count() == 1 ? x.First() : $"{x.First()}, and {x.Count() - 1} more of the same kind at least"),
        ];

    [GeneratedRegex("[0-9]+")]
    private static partial Regex Digits();

    // A page may be damaged so that the check itself fails; the error tells as much as a finding would.
    private static List<string> Findings(SqliteConnection connection, string check, params (string, object)[] table)
    {
        try
        {
            var found = DumpQuery.Rows(connection, check, row => row.GetString(0), table).ToList();
            return found is ["ok"] ? [] : found;
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode != raw.SQLITE_NOTADB && IsDamage(ex))
        {
            return [ex.Message];
        }
    }
}
