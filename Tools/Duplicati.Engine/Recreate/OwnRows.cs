// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Microsoft.Data.Sqlite;
using Row = System.Collections.Generic.Dictionary<string, object?>;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// Carries over what only a database has (see <see cref="OwnTables"/>) into the one that a recreate has made and that takes its place: from
/// the pages that can be read. Rows of volumes and versions are known by what is the same in both.
/// </summary>
internal sealed partial class OwnRows
{
    private const string OPERATIONS =
        """INSERT INTO "Operation" ("ID", "Description", "Timestamp") VALUES ($ID, $Description, $Timestamp)""";

    private const string LOG = """
        INSERT INTO "LogData" ("ID", "OperationID", "Timestamp", "Type", "Message", "Exception")
        VALUES ($ID, $OperationID, $Timestamp, $Type, $Message, $Exception)
        """;

    private const string REMOTE = """
        INSERT INTO "RemoteOperation" ("ID", "OperationID", "Timestamp", "Operation", "Path", "Data")
        VALUES ($ID, $OperationID, $Timestamp, $Operation, $Path, $Data)
        """;

    private const string RESTORE_TESTS = """
        INSERT OR IGNORE INTO "RestoreTestHistory" ("ID", "Path", "LastVerified", "LastResult") VALUES ($ID, $Path, $LastVerified, $LastResult)
        """;

    /// <summary>Scans Fileset, one row a version. Two may be of one time, if a list has come back that another one replaced.</summary>
    private const string JOURNAL = """
        INSERT INTO "ChangeJournalData" ("ID", "FilesetID", "VolumeName", "JournalID", "NextUsn", "ConfigHash")
        SELECT $ID, "ID", $VolumeName, $JournalID, $NextUsn, $ConfigHash FROM "Fileset" WHERE "Timestamp" = $Timestamp
        ORDER BY "ID" LIMIT 1
        """;

    /// <summary>One row by RemotevolumeNameOnly; Operation by row id. A file of another content is another volume.</summary>
    private const string VOLUME = """
        UPDATE "Remotevolume" SET
            "VerificationCount" = COALESCE($VerificationCount, "VerificationCount"),
            "ArchiveTime" = COALESCE($ArchiveTime, "ArchiveTime"),
            "LockExpirationTime" = COALESCE($LockExpirationTime, "LockExpirationTime"),
            "OperationID" = COALESCE((SELECT "ID" FROM "Operation" WHERE "ID" = $OperationID), "OperationID")
        WHERE "Name" = $Name AND COALESCE("Hash", $Hash) = $Hash AND (COALESCE("Size", -1) < 0 OR "Size" = $Size)
        """;

    /// <summary>Scans Fileset, one row a version; Operation by row id.</summary>
    private const string VERSION = """
        UPDATE "Fileset" SET "OperationID" = COALESCE((SELECT "ID" FROM "Operation" WHERE "ID" = $OperationID), "OperationID")
        WHERE "Timestamp" = $Timestamp
        """;

    /// <summary>Scans Fileset, one row a version.</summary>
    private const string LABEL = """UPDATE "Fileset" SET "Label" = $Label WHERE "Timestamp" = $Timestamp""";

    private const string SETTING = """INSERT OR IGNORE INTO "Configuration" ("Key", "Value") VALUES ($Key, $Value)""";

    /// <summary>One row by the primary key's index.</summary>
    private const string REMOVE_SETTING = """DELETE FROM "Configuration" WHERE "Key" = $Key""";

    /// <summary>One row by the primary key's index.</summary>
    private const string SET_MARK = """UPDATE "Configuration" SET "Value" = $Value WHERE "Key" = $Key""";

    // What the recreate has written itself comes after all that was before: whole tables, the first of them by row id.

    private const string LAST_OPERATION = """SELECT COALESCE(MAX("ID"), 0) FROM "Operation" """;

    private const string LAST_LOG = """SELECT COALESCE(MAX("ID"), 0) FROM "LogData" """;

    private const string LAST_REMOTE = """SELECT COALESCE(MAX("ID"), 0) FROM "RemoteOperation" """;

    private const string MOVE_OPERATIONS = """
        UPDATE "Operation" SET "ID" = "ID" + $by;
        UPDATE "Remotevolume" SET "OperationID" = "OperationID" + $by;
        UPDATE "Fileset" SET "OperationID" = "OperationID" + $by;
        UPDATE "LogData" SET "OperationID" = "OperationID" + $by;
        UPDATE "RemoteOperation" SET "OperationID" = "OperationID" + $by
        """;

    private const string MOVE_LOG = """UPDATE "LogData" SET "ID" = "ID" + $by""";

    private const string MOVE_REMOTE = """UPDATE "RemoteOperation" SET "ID" = "ID" + $by""";

    // They say how far an operation has come with the database that is replaced.
    private static readonly HashSet<string> s_marks =
    [
        RecreateMark.Key,
        LostBlocksMark.KEY,
        RecreateMark.UpstreamsKey,
        "partially-recreated",
        "terminated-with-active-uploads",
    ];

    private readonly DamagedDatabase m_from;
    private readonly SqliteConnection m_to;
    private readonly List<OwnTableRows> m_carried = [];
    private readonly List<DateTime> m_lostVersions = [];

    private OwnRows(DamagedDatabase from, SqliteConnection to)
    {
        m_from = from;
        m_to = to;
    }

    /// <summary>Carries it over, unless an interrupted run has.</summary>
    /// <param name="old">A database without a log that nobody has open; null if its pages say nothing without its log.</param>
    /// <param name="made">The new one, with the mark of a recreate.</param>
    /// <param name="progress">Told what is done.</param>
    internal static ReplacedDatabase Carry(string? old, string made, IEngineProgress progress)
    {
        using var from = old is null ? null : DamagedDatabase.TryOpen(old, OwnTables.Names);
        if (from is null)
        {
            progress.Warning(
                "The first page of the database that was there cannot be read, and so nothing of it: what is not in the remote folder is not in the new one"
            );
            return new ReplacedDatabase { IsUnreadable = true };
        }

        if (!from.IsSchemaWhole)
            progress.Warning(
                "The list of tables of the old database can be read only in part; data of a table that it does not name is in the new one only if the remote folder has it"
            );
        progress.Message("Carrying over what only the database that was there has");
        using var to = PlainConnection.Open(made, SqliteOpenMode.ReadWrite);
        var rows = new OwnRows(from, to);
        using (var transaction = to.BeginTransaction())
        {
            if (UnfinishedRecreate.Read(to) is { HasOwnRows: false } mark)
            {
                rows.Carry();
                DumpQuery.Execute(to, SET_MARK, ("$Key", RecreateMark.Key), ("$Value", (mark with { HasOwnRows = true }).ToText()));
            }
            else
            {
                rows.m_carried.AddRange(
                    OwnTables
                        .Names.Select(x => (Table: x, Of: from.Count(x)))
                        .Select(x => new OwnTableRows(x.Table, x.Of.Rows, x.Of.Unreadable))
                );
            }

            transaction.Commit();
        }

        return new ReplacedDatabase
        {
            IsUnreadable = !from.IsSchemaWhole,
            Carried = rows.m_carried,
            LostVersions = rows.m_lostVersions,
        };
    }

    private void Carry()
    {
        MakeRoom();
        Insert("Operation", OPERATIONS);
        Insert("LogData", LOG);
        Insert("RemoteOperation", REMOTE);
        if (DumpQuery.HasColumn(m_to, "RestoreTestHistory", "ID"))
            Insert("RestoreTestHistory", RESTORE_TESTS);
        var times = CarryVersions();
        Add(
            "ChangeJournalData",
            row => times.TryGetValue(row["FilesetID"]!, out var time) ? Execute(JOURNAL, row, ("$Timestamp", time)) : 0
        );
        Add("Remotevolume", row => row.GetValueOrDefault("Hash") is string ? Execute(VOLUME, row) : 0);
        CarrySettings();
    }

    // Ids are those of before, also where the operation of a message cannot be read.
    private void MakeRoom()
    {
        var operations = new[] { "Operation", "LogData", "RemoteOperation", "Remotevolume", "Fileset" }.Max(x =>
            Largest(x, x == "Operation" ? "ID" : "OperationID")
        );
        Move(operations, LAST_OPERATION, MOVE_OPERATIONS);
        Move(Largest("LogData", "ID"), LAST_LOG, MOVE_LOG);
        Move(Largest("RemoteOperation", "ID"), LAST_REMOTE, MOVE_REMOTE);
    }

    private void Move(long before, string last, string move)
    {
        if (before > 0)
            DumpQuery.Execute(m_to, move, ("$by", Math.Max(before, DumpQuery.Number(m_to, last))));
    }

    private long Largest(string table, string column) =>
        m_from.Rows(table).Select(x => x.GetValueOrDefault(column) as long? ?? 0).DefaultIfEmpty().Max();

    private Dictionary<object, object> CarryVersions()
    {
        var times = new Dictionary<object, object>();
        var hasLabels = DumpQuery.HasColumn(m_to, "Fileset", "Label");
        var lists = m_from
            .Rows("Remotevolume")
            .Where(x => x.GetValueOrDefault("State") is "Uploaded" or "Verified")
            .Select(x => x.GetValueOrDefault("ID"))
            .ToHashSet();
        Add(
            "Fileset",
            row =>
            {
                times[row["ID"]!] = row["Timestamp"]!;
                // The remote folder has the label of an earlier time.
                if (hasLabels && row.GetValueOrDefault("Label") is string)
                    Execute(LABEL, row);
                var carried = Execute(VERSION, row);
                if (carried == 0 && lists.Contains(row.GetValueOrDefault("VolumeID")) && row["Timestamp"] is long seconds)
                    m_lostVersions.Add(DumpQuery.Time(seconds));
                return carried;
            }
        );
        return times;
    }

    // A damaged one would be in the way of the new database as it was of the old one.
    private void CarrySettings()
    {
        var known = StoredSettings.Problems(m_to).Count;
        var groups = m_from
            .Rows("Configuration")
            .Where(x => !s_marks.Contains((string)x["Key"]!))
            .GroupBy(x => ((string)x["Key"]!).Split('-')[0] is "passphrase" and var both ? both : (string)x["Key"]!)
            .Select(x => x.ToList())
            .ToList();
        var carried = 0L;
        foreach (var group in groups)
        {
            var added = group.FindAll(x => Execute(SETTING, x) > 0);
            carried += added.Count;
            if (StoredSettings.Problems(m_to).Count <= known)
                continue;
            carried -= added.Count;
            added.ForEach(x => Execute(REMOVE_SETTING, x));
        }

        m_carried.Add(new OwnTableRows("Configuration", carried, m_from.Count("Configuration").Unreadable));
    }

    private void Insert(string table, string sql) => Add(table, row => Execute(sql, row));

    private void Add(string table, Func<Row, long> carry)
    {
        var carried = m_from.Rows(table).Sum(carry);
        m_carried.Add(new OwnTableRows(table, carried, m_from.Count(table).Unreadable));
    }

    private long Execute(string sql, Row row, params (string Name, object Value)[] more) =>
        DumpQuery.Execute(
            m_to,
            sql,
            [
                .. more,
                .. Parameter()
                    .Matches(sql)
                    .Select(x => x.Value)
                    .Distinct()
                    .Where(x => !more.Any(y => y.Name == x))
                    .Select(x => (x, row.GetValueOrDefault(x[1..]) ?? DBNull.Value)),
            ]
        );

    [GeneratedRegex("\\$[A-Za-z]+")]
    private static partial Regex Parameter();
}

/// <summary>What was done with the database that a recreate has taken the place of.</summary>
internal sealed record ReplacedDatabase
{
    /// <summary>The name under which it is kept; null if it is not.</summary>
    internal string? Kept { get; init; }

    /// <summary>Whether it cannot be told what is lost.</summary>
    internal bool IsUnreadable { get; init; }

    /// <summary>What was carried over.</summary>
    internal IReadOnlyList<OwnTableRows> Carried { get; init; } = [];

    /// <summary>Times (UTC) of versions whose lists had been uploaded, and that the new database does not have.</summary>
    internal IReadOnlyList<DateTime> LostVersions { get; init; } = [];

    /// <summary>The report of a recreate with it.</summary>
    internal RecreateReport ApplyTo(RecreateReport report) =>
        report with
        {
            OldDatabase = Kept,
            IsOldUnreadable = IsUnreadable,
            LostVersions = LostVersions,
            CarriedOver = [.. Carried.Where(x => x.Rows > 0 || x.Unreadable > 0)],
        };

    /// <summary>Whether anything may be lost.</summary>
    internal bool HasLost => IsUnreadable || Carried.Any(x => x.Unreadable > 0);
}
