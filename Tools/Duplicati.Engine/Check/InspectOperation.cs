// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Scripts;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Check;

/// <summary>Tells the state of a database file of any schema version, without changing it.</summary>
public static class InspectOperation
{
    /// <summary>Reads the header.</summary>
    internal const string PAGE_SIZE = "PRAGMA page_size";

    /// <summary>Reads the header.</summary>
    internal const string PAGE_COUNT = "PRAGMA page_count";

    /// <summary>Reads the header.</summary>
    internal const string FREE_PAGES = "PRAGMA freelist_count";

    /// <summary>Reads the schema, one row a table or index; the schema itself begins at page 1.</summary>
    private const string ROOT_PAGES = """
        SELECT 'sqlite_schema', 'table', 1
        UNION ALL
        SELECT "name", "type", "rootpage" FROM "sqlite_master" WHERE "rootpage" > 0
        """;

    /// <summary>Scans Remotevolume, one row a volume.</summary>
    private const string VOLUMES = """
        SELECT "Type", "State", COUNT(*), COALESCE(SUM(MAX("Size", 0)), 0)
        FROM "Remotevolume"
        GROUP BY "Type", "State"
        ORDER BY "Type", "State"
        """;

    /// <summary>Scans Remotevolume, one row a volume; Operation by row id.</summary>
    private const string GROWTH = """
        SELECT "Operation"."Timestamp", "Operation"."Description", COUNT(*), SUM(MAX("Remotevolume"."Size", 0))
        FROM "Remotevolume" CROSS JOIN "Operation" ON "Operation"."ID" = "Remotevolume"."OperationID"
        WHERE "Remotevolume"."State" IN ('Uploaded', 'Verified')
        GROUP BY "Operation"."ID"
        ORDER BY "Operation"."ID"
        """;

    /// <summary>
    /// Scans Fileset, one row a version; its entries by the primary key, FileLookup and Blockset by row id. In the order of the versions,
    /// oldest first.
    /// </summary>
    private const string SPACE_BY_VERSION = """
        SELECT "Fileset"."ID", COUNT("FilesetEntry"."FileID"), COALESCE(SUM("Blockset"."Length"), 0)
        FROM "Fileset"
        LEFT JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "Fileset"."ID"
        LEFT JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        GROUP BY "Fileset"."ID"
        ORDER BY "Fileset"."Timestamp", "Fileset"."ID"
        """;

    /// <summary>
    /// Reads nn_FileLookup_BlockMeta in order; first and last version of a file by FilesetentryFileIdIndex, Blockset by row id. Contents
    /// that one version alone has.
    /// </summary>
    private const string OWN_BYTES = """
        SELECT "Own"."FilesetID", SUM("Blockset"."Length")
        FROM (
            SELECT "BlocksetID",
                MIN((SELECT MIN("FilesetEntry"."FilesetID") FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = "FileLookup"."ID")) AS "FilesetID",
                MAX((SELECT MAX("FilesetEntry"."FilesetID") FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = "FileLookup"."ID")) AS "LastID"
            FROM "FileLookup"
            GROUP BY "BlocksetID") AS "Own"
        CROSS JOIN "Blockset" ON "Blockset"."ID" = "Own"."BlocksetID"
        WHERE "Own"."FilesetID" = "Own"."LastID"
        GROUP BY "Own"."FilesetID"
        """;

    /// <summary>Walks the schema: whether there is table FileLookup, which a bug report leaves out.</summary>
    private const string HAS_FILES = """SELECT COUNT(*) FROM "sqlite_master" WHERE "type" = 'table' AND "name" = 'FileLookup'""";

    private const int FirstVersionWithPrefixes = 9;

    /// <summary>Key of the mark that a recreate was of some versions only.</summary>
    internal const string PartiallyRecreated = "partially-recreated";

    /// <summary>Key of the mark that an operation has not ended that changes the remote folder.</summary>
    internal const string ActiveUploads = "terminated-with-active-uploads";

    private static readonly string[] s_flags = [RecreateMark.UpstreamsKey, PartiallyRecreated, ActiveUploads];

    /// <summary>
    /// Reads sizes and counts and checks the file. Reads every page; needs space for a copy among the temporary files to tell sizes by
    /// table and index.
    /// </summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseFormatError</c>.</exception>
    public static Task<InspectReport> RunAsync(string path, CancellationToken token) =>
        DatabaseReading.RunAsync(path, ConnectionPreset.Default.Name, Run, token, ReadingMode.AnyVersion);

    private static InspectReport Run(string path)
    {
        using var reader = new DatabaseDumpReader(path);
        using var reading = new ReadingConnection(path);
        var connection = reading.Connection;
        var version = reader.SchemaVersion;
        var leftOut = Try(() => reader.LeftOut, null);
        return new InspectReport(
            version,
            connection.ServerVersion,
            DatabaseFile.Length(path),
            DatabaseFile.Length(path, "-wal"),
            DumpQuery.Number(connection, PAGE_SIZE),
            DumpQuery.Number(connection, PAGE_COUNT),
            DumpQuery.Number(connection, FREE_PAGES),
            Try(() => reader.RowCounts, new Dictionary<string, long>()),
            Objects(connection),
            Versions(reader, connection),
            Try(
                () =>
                    DumpQuery
                        .Rows(
                            connection,
                            VOLUMES,
                            row => new VolumeCount(row.GetString(0), row.GetString(1), row.GetInt64(2), row.GetInt64(3))
                        )
                        .ToList(),
                []
            ),
            Try(() => DumpQuery.Rows(connection, GROWTH, Growth).ToList(), []),
            Try(() => Flags(reader), []),
            leftOut?.Names ?? [],
            leftOut is { IsBeingFilled: true } filled ? LeftOutText.BeingFilled(filled.Names.Count) : null,
            [
                .. Problems(reader),
                .. Contradictions(connection, path, version),
                .. Interrupted(path, leftOut),
                .. Faults(connection, version).Select(x => x.What),
            ]
        );
    }

    // Not of a bug report, which has other tables and settings.
    private static List<string> Contradictions(SqliteConnection connection, string path, int version)
    {
        if (SchemaState.Find(connection, path) is { } problem)
            return [problem.What];
        return version >= FirstVersionWithPrefixes && !HasFiles(connection)
            ? []
            : [.. Try(() => SchemaState.Misfits(connection, path), []), .. StoredSettings.Problems(connection)];
    }

    private static IEnumerable<string> Interrupted(string path, (IReadOnlyList<string> Names, bool IsBeingFilled)? leftOut) =>
        leftOut is { IsBeingFilled: false } left ? [LeftOutText.Interrupted(path, left.Names.Count)] : [];

    private static OperationGrowth Growth(SqliteDataReader row) =>
        new(DumpQuery.Time(row.GetInt64(0)), row.GetString(1), row.GetInt64(2), row.GetInt64(3));

    /// <summary>The versions, the newest first. Those of schemas before path prefixes are told without their space.</summary>
    internal static List<ListedVersion> Versions(DatabaseDumpReader reader, SqliteConnection connection)
    {
        var versions = Try(() => reader.Filesets.ToList(), []);
        if (!HasFiles(connection))
            return [.. versions.Select((x, i) => Version(x, versions.Count - 1 - i)).Reverse()];

        var space = Try(
            () =>
                DumpQuery
                    .Rows(connection, SPACE_BY_VERSION, row => (Id: row.GetInt64(0), Entries: row.GetInt64(1), Bytes: row.GetInt64(2)))
                    .ToList(),
            []
        );
        var own = Try(
            () => DumpQuery.Rows(connection, OWN_BYTES, row => KeyValuePair.Create(row.GetInt64(0), row.GetInt64(1))).ToDictionary(),
            []
        );
        return
        [
            .. versions
                .Select(
                    (x, i) =>
                        Version(x, versions.Count - 1 - i) with
                        {
                            Entries = At(i)?.Entries,
                            Bytes = At(i)?.Bytes,
                            OwnBytes = At(i) is { } found ? own.GetValueOrDefault(found.Id) : null,
                        }
                )
                .Reverse(),
        ];

        (long Id, long Entries, long Bytes)? At(int index) => space.Count == versions.Count ? space[index] : null;
    }

    private static ListedVersion Version(DumpFileset fileset, int version) =>
        new(
            version,
            DumpQuery.Time(fileset.Timestamp),
            fileset.IsFull is { } full ? full != 0 : null,
            fileset.Volume,
            Label: fileset.Label
        );

    /// <summary>The marks that a database has.</summary>
    internal static List<string> Flags(DatabaseDumpReader reader) => [.. s_flags.Where(reader.Configuration.ContainsKey)];

    /// <summary>The faults of the rows; nothing for schemas that have other tables.</summary>
    internal static IEnumerable<(RowFaults.Fault Fault, string What)> Faults(SqliteConnection connection, int version)
    {
        if (version < FirstVersionWithPrefixes)
            return [];

        var hasFiles = HasFiles(connection);
        return from fault in RowFaults.All
            where hasFiles || !fault.Sql.Contains("\"FileLookup\"", StringComparison.Ordinal)
            let what = Try(() => fault.Find(connection), null)
            where what is not null
            select (fault, what);
    }

    private static bool HasFiles(SqliteConnection connection) => Try(() => DumpQuery.Number(connection, HAS_FILES), 0) > 0;

    /// <summary>
    /// Tables and indexes by their pages, the largest first; none if there is no space for a copy. From a copy: of one moment, with what
    /// is still in the log, and read without a second descriptor on the database.
    /// </summary>
    internal static List<ObjectSize> Objects(SqliteConnection connection) =>
        Try(
            () =>
            {
                using var temporary = new TemporaryFolder();
                var copy = Path.Combine(temporary.Path, "copy.sqlite");
                connection.CopyTo(copy);
                using var census = new PageCensus(copy);
                return DumpQuery
                    .Rows(connection, ROOT_PAGES, row => (Name: row.GetString(0), Type: row.GetString(1), Root: row.GetInt64(2)))
                    .Select(x => (x.Name, x.Type, Size: census.Measure(x.Root)))
                    .Select(x => new ObjectSize(x.Name, x.Type, x.Size.Bytes, x.Size.Unused))
                    .OrderByDescending(x => x.Bytes)
                    .ThenBy(x => x.Name, StringComparer.Ordinal)
                    .ToList();
            },
            []
        );

    private static List<string> Problems(DatabaseDumpReader reader)
    {
        try
        {
            var result = reader.IntegrityCheck;
            return result == "ok" ? [] : [.. result.Split('\n')];
        }
        catch (SqliteException ex)
        {
            return [ex.Message];
        }
    }

    // A damaged table must not hide what the others tell; the check names it.
    private static T Try<T>(Func<T> read, T otherwise)
    {
        try
        {
            return read();
        }
        catch (Exception ex)
            when (ex
                    is SqliteException
                        or InvalidOperationException
                        or ArgumentOutOfRangeException
                        or IOException
                        or UserInformationException { HelpID: "NoTemporaryFolder" }
            )
        {
            return otherwise;
        }
    }
}
