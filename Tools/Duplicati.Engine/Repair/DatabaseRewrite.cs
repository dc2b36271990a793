// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Makes a database anew from the rows of one of which indexes, free pages, or tables that nothing else has the rows of are damaged, or
/// that has values that cannot be. The new one lies beside it until it is complete; the old one is kept under another name.
/// </summary>
internal static class DatabaseRewrite
{
    /// <summary>What the name of the new file ends with until it is complete.</summary>
    internal const string BESIDE = ".rewriting";

    /// <summary>What nobody needs after a crash; the whole file is flushed at the end.</summary>
    private const string FAST = "PRAGMA \"main\".journal_mode = OFF; PRAGMA \"main\".synchronous = OFF";

    private const string ATTACH = "ATTACH $path AS \"old\"";

    private const string DETACH = "DETACH \"old\"";

    private const string VERSION = "PRAGMA \"old\".user_version";

    private const string PAGE_SIZE = "PRAGMA \"old\".page_size";

    /// <summary>Reads the schema: tables first, then indexes.</summary>
    private const string SCHEMA = """
        SELECT "type", "name", "sql" FROM "old"."sqlite_master" WHERE "sql" IS NOT NULL AND "name" NOT GLOB 'sqlite_*'
        ORDER BY "type" <> 'table', "type" <> 'index', "rowid"
        """;

    /// <summary>Scans Remotevolume.</summary>
    private const string VOLUMES_OF_NO_TYPE = $"""SELECT "ID", "Name" FROM "Remotevolume" WHERE {SchemaStateSql.IS_UNKNOWN_TYPE}""";

    private const string SET_TYPE = """UPDATE "Remotevolume" SET "Type" = $type WHERE "ID" = $id""";

    /// <summary>Scans Remotevolume. What is not as this state says is looked into by a repair.</summary>
    private const string SET_STATES = $"""UPDATE "Remotevolume" SET "State" = 'Uploaded' WHERE {SchemaStateSql.IS_UNKNOWN_STATE}""";

    /// <summary>Scans Fileset; Remotevolume by id.</summary>
    private const string VERSIONS_OF_NO_TIME = $"""
        SELECT "Fileset"."ID", "Remotevolume"."Name"
        FROM "Fileset" CROSS JOIN "Remotevolume" ON "Remotevolume"."ID" = "Fileset"."VolumeID"
        WHERE {SchemaStateSql.IS_UNKNOWN_TIME}
        """;

    private const string SET_TIME = """UPDATE "Fileset" SET "Timestamp" = $time WHERE "ID" = $id""";

    /// <summary>Makes the new database, and puts it in the place of the old one.</summary>
    /// <param name="path">The old one.</param>
    /// <param name="damage">What is damaged.</param>
    /// <param name="token">Cancels, before the new one takes its place.</param>
    /// <returns>The name under which the old one is kept, and what could not be read of it; null if more is damaged than was
    /// known.</returns>
    /// <exception cref="SqliteException">Somebody writes to the database.</exception>
    /// <exception cref="Library.Interface.UserInformationException">Help id <c>DatabaseIsBusy</c>: somebody uses it.</exception>
    /// <exception cref="IOException">There is no space.</exception>
    internal static (string Kept, IReadOnlyList<OwnTableRows> Lost)? Run(
        string path,
        IReadOnlyCollection<PageDamage> damage,
        CancellationToken token
    )
    {
        if (!RepairDatabaseFile.EmptyLog(path))
            return null;
        var state = RepairDatabaseFile.State(path);
        var made = path + BESIDE;
        RepairDatabaseFile.Remove(made);
        try
        {
            var hit = damage.Where(x => x.Source == DamageSource.Here).Select(x => x.Table!).ToHashSet(StringComparer.Ordinal);
            var lost = MakeAlone(path, made, hit, token);
            return (RepairDatabaseFile.Replace(path, made, state, keep: true)!, lost);
        }
        catch (SqliteException ex) when (DatabaseIntegrity.IsDamage(ex) || ex.SqliteErrorCode == SQLitePCL.raw.SQLITE_CONSTRAINT)
        {
            token.ThrowIfCancellationRequested();
            return null;
        }
        finally
        {
            RepairDatabaseFile.Remove(made);
        }
    }

    // Nobody writes meanwhile: each table would be of another moment.
    private static List<OwnTableRows> MakeAlone(string path, string made, HashSet<string> hit, CancellationToken token)
    {
        // Opened before the file is as a database, and closed after that: a second descriptor that is closed drops its locks.
        using var pages = DamagedDatabase.TryOpen(path, OwnTables.Names)!;
        using var held = PlainConnection.Open(path, SqliteOpenMode.ReadWrite);
        DumpQuery.Execute(held, RepairDatabaseFile.HOLD);
        List<OwnTableRows> lost;
        using (var connection = PlainConnection.Open(made))
            lost = Interruptible.Run(connection, token, () => Make(connection, path, pages, hit));
        DurableFiles.Standard.FlushFile(made);
        return lost;
    }

    private static List<OwnTableRows> Make(SqliteConnection connection, string path, DamagedDatabase pages, HashSet<string> hit)
    {
        DumpQuery.Execute(connection, ATTACH, ("$path", path));
        DumpQuery.Execute(connection, Set("page_size", PAGE_SIZE));
        DumpQuery.Execute(connection, FAST);
        foreach (
            var (type, name, sql) in DumpQuery.Rows(connection, SCHEMA, x => (x.GetString(0), x.GetString(1), x.GetString(2))).ToList()
        )
        {
            DumpQuery.Execute(connection, sql);
            if (type != "table")
                continue;
            var table = SqlName.Quote(name);
            // With the condition each row is read; without it SQLite copies pages, and those of the indexes with them.
            if (!hit.Contains(name))
                DumpQuery.Execute(connection, $"INSERT INTO \"main\".{table} SELECT * FROM \"old\".{table} NOT INDEXED WHERE 1");
        }

        DumpQuery.Execute(connection, Set("user_version", VERSION));
        DumpQuery.Execute(connection, DETACH);
        var lost = hit.Select(x => Salvage(connection, pages, x)).ToList();
        if (SchemaState.Impossible(connection, path, listsVolumes: true).Count > 0)
            SetByNames(connection);
        PlannerStatistics.Refresh(connection);
        if (
            DumpQuery.Rows(connection, DatabaseDumpReader.INTEGRITY_CHECK, x => x.GetString(0)).ToList() is not ["ok"]
            || SchemaState.Impossible(connection, path, listsVolumes: true).Count > 0
        )
            throw new SqliteException($"The database {path} is damaged in more than its indexes.", SQLitePCL.raw.SQLITE_CORRUPT);
        return lost;

        string Set(string pragma, string read) =>
            PragmaSql.Set(pragma, DumpQuery.Number(connection, read).ToString(CultureInfo.InvariantCulture));
    }

    private static void SetByNames(SqliteConnection connection)
    {
        foreach (var (id, name) in Named(VOLUMES_OF_NO_TYPE))
            DumpQuery.Execute(connection, SET_TYPE, ("$id", id), ("$type", $"{name.Type}"));
        DumpQuery.Execute(connection, SET_STATES);
        foreach (var (id, name) in Named(VERSIONS_OF_NO_TIME))
            DumpQuery.Execute(connection, SET_TIME, ("$id", id), ("$time", new DateTimeOffset(name.Time).ToUnixTimeSeconds()));

        List<(long Id, VolumeName Name)> Named(string sql) =>
            [
                .. from row in DumpQuery.Rows(connection, sql, x => (Id: x.GetInt64(0), Name: VolumeName.Parse(x.GetString(1))))
                where row.Name is not null
                select (row.Id, row.Name),
            ];
    }

    private static OwnTableRows Salvage(SqliteConnection connection, DamagedDatabase pages, string name)
    {
        foreach (var row in pages.Rows(name))
        {
            var columns = row.Keys.ToList();
            DumpQuery.Execute(
                connection,
                $"INSERT INTO \"main\".{SqlName.Quote(name)} ({string.Join(", ", columns.Select(SqlName.Quote))}) VALUES ({string.Join(", ", columns.Select((_, i) => $"$v{i}"))})",
                [.. columns.Select((x, i) => ($"$v{i}", row[x] ?? DBNull.Value))]
            );
        }

        var (rows, unreadable) = pages.Count(name);
        return new OwnTableRows(name, rows, unreadable);
    }
}
