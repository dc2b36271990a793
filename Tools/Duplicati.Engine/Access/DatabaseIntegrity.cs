// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Access;

/// <summary>Checks a database file page by page.</summary>
internal static class DatabaseIntegrity
{
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
    /// <returns>What is damaged; empty if all is well.</returns>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseIsDamaged</c>: too damaged to be read at all;
    /// <c>DatabaseFormatError</c>: no database.</exception>
    internal static Task<List<PageDamage>> CheckAsync(string path, bool quick, CancellationToken token) =>
        Task.Run(() => Check(path, quick, token), token);

    /// <summary>Whether pages of a file are damaged, or it is no database.</summary>
    internal static bool IsDamaged(string path)
    {
        try
        {
            return Check(path, quick: true, CancellationToken.None).Count > 0;
        }
        catch (UserInformationException ex) when (ex.HelpID is "DatabaseIsDamaged" or "DatabaseFormatError")
        {
            return true;
        }
    }

    /// <summary>An error that a damaged file gives, with the name of the file.</summary>
    internal static UserInformationException Error(string path, SqliteException failure) =>
        failure.SqliteErrorCode == raw.SQLITE_NOTADB
            ? new UserInformationException(
                $"The file {path} is no database, or its first page is damaged. {Advice.NotADatabase()} {failure.Message}",
                "DatabaseFormatError",
                failure
            )
            : new UserInformationException(
                $"The database {path} is damaged. {Advice.DamagedDatabase()} {failure.Message}",
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

    private static List<PageDamage> Check(string path, bool quick, CancellationToken token)
    {
        using var reading = new ReadingConnection(path);
        var connection = reading.Connection;
        try
        {
            return Interruptible.Run(connection, token, () => Check(connection, path, quick));
        }
        catch (SqliteException ex) when (IsDamage(ex))
        {
            throw Error(path, ex);
        }
    }

    private static List<PageDamage> Check(SqliteConnection connection, string path, bool quick)
    {
        var found = Findings(connection, quick ? QUICK_CHECK : DatabaseDumpReader.INTEGRITY_CHECK);
        return found.Count == 0 ? Misfits(connection, path) : new DamageNames(connection, path).Of(found, Named(connection));
    }

    // Damage within texts is none to SQLite.
    private static List<PageDamage> Misfits(SqliteConnection connection, string path) =>
        SchemaState.Find(connection, path) is not null ? []
        : SchemaState.Misfits(connection, path) is { Count: > 0 } misfits ? Damages(misfits, DamageSource.Remote)
        : Damages(SchemaState.Impossible(connection, path, listsVolumes: true), DamageSource.Rows);

    private static List<PageDamage> Damages(List<string> texts, DamageSource source) =>
        texts.ConvertAll(x => new PageDamage(x, null, source));

    // The check of the whole file says which page is damaged, but not whose it is.
    private static List<(string Table, string What)> Named(SqliteConnection connection) =>
        [
            .. DumpQuery
                .Rows(connection, TABLES, row => row.GetString(0))
                .ToList()
                .SelectMany(table => Findings(connection, CHECK_TABLE, ("$table", table)).Select(x => (table, x))),
        ];

    // A page may be damaged so that the check itself fails; the error tells as much as a finding would.
    private static List<string> Findings(SqliteConnection connection, string check, params (string, object)[] table)
    {
        try
        {
            var found = DumpQuery.Rows(connection, check, row => row.GetString(0), table).ToList();
            // What is found in the trees comes as one text, below a title.
            return found is ["ok"]
                ? []
                : [.. found.SelectMany(x => x.Split('\n')).Where(x => !x.StartsWith("***", StringComparison.Ordinal))];
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode != raw.SQLITE_NOTADB && IsDamage(ex))
        {
            // Whoever tells it ends the sentence.
            return [ex.Message.TrimEnd('.')];
        }
    }
}
