// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Scripts;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Dump;

/// <summary>
/// Reads the content of a database file of any schema version, without changing or upgrading it: every id is replaced by what it stands
/// for, and what is many is in no particular order.
/// </summary>
/// <remarks>
/// Everything is read in one transaction and streams: a property holds nothing in memory but the row at hand. One thread at a
/// time. Several streams may be open at once.
/// </remarks>
public sealed class DatabaseDumpReader : IDisposable
{
    // Dumps read whole tables, so scans are meant.

    /// <summary>Scans the version table.</summary>
    private const string VERSION = """SELECT MAX("Version") FROM "Version" """;

    /// <summary>Reads every page, and compares each index with its table.</summary>
    internal const string INTEGRITY_CHECK = "PRAGMA integrity_check";

    /// <summary>Whether a table has a column. Scans the columns of one table.</summary>
    internal const string HAS_COLUMN = "SELECT COUNT(*) FROM pragma_table_info($table) WHERE name = $column COLLATE NOCASE";

    /// <summary>Scans Block; Remotevolume by row id.</summary>
    private const string BLOCKS = """
        SELECT "Block"."Hash", "Block"."Size", "Block"."VolumeID", "Remotevolume"."Name"
        FROM "Block"
        LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "Block"."VolumeID"
        """;

    /// <summary>Scans DuplicateBlock; Block and Remotevolume by row id.</summary>
    private const string DUPLICATE_BLOCKS = """
        SELECT "Block"."Hash", "Block"."Size", "DuplicateBlock"."VolumeID", "Remotevolume"."Name"
        FROM "DuplicateBlock"
        LEFT JOIN "Block" ON "Block"."ID" = "DuplicateBlock"."BlockID"
        LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "DuplicateBlock"."VolumeID"
        """;

    /// <summary>Scans DeletedBlock; Remotevolume by row id.</summary>
    private const string DELETED_BLOCKS = """
        SELECT "DeletedBlock"."Hash", "DeletedBlock"."Size", "DeletedBlock"."VolumeID", "Remotevolume"."Name"
        FROM "DeletedBlock"
        LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "DeletedBlock"."VolumeID"
        """;

    /// <summary>Scans Blockset in row id order.</summary>
    internal const string ALL_BLOCKSETS = """SELECT "ID", "FullHash", "Length" FROM "Blockset" ORDER BY "ID" """;

    /// <summary>Scans BlocksetEntry in the order of its primary key (sorts before version 5); Block by row id.</summary>
    internal const string BLOCKSET_ENTRIES = """
        SELECT "BlocksetEntry"."BlocksetID", "BlocksetEntry"."Index", "Block"."Hash", "Block"."Size"
        FROM "BlocksetEntry"
        LEFT JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        ORDER BY "BlocksetEntry"."BlocksetID", "BlocksetEntry"."Index"
        """;

    /// <summary>Scans BlocklistHash by BlocklistHashBlocksetIDIndex (sorts before version 7).</summary>
    internal const string BLOCKLIST_HASHES = """SELECT "BlocksetID", "Hash" FROM "BlocklistHash" ORDER BY "BlocksetID", "Index" """;

    /// <summary>Scans PathPrefix.</summary>
    private const string PREFIXES = """SELECT "Prefix" FROM "PathPrefix" """;

    /// <summary>Searches FilesetEntry by its primary key; the rest by row id.</summary>
    private const string ENTRIES_9 = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash", "Meta"."Length", "FilesetEntry"."Lastmodified"
        FROM "FilesetEntry"
        LEFT JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        LEFT JOIN "Blockset" "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = $fileset
        """;

    /// <summary>Scans File and once FilesetEntry; the rest by row id. Before version 9.</summary>
    private const string FILES_WITHOUT_FILESET_0 = """
        SELECT "File"."Path", "File"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash", "Meta"."Length", NULL
        FROM "File"
        LEFT JOIN "Blockset" "Data" ON "Data"."ID" = "File"."BlocksetID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "File"."MetadataID"
        LEFT JOIN "Blockset" "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "File"."ID" NOT IN (SELECT "FileID" FROM "FilesetEntry")
        """;

    /// <summary>Scans FileLookup; FilesetEntry by FilesetentryFileIdIndex, the rest by row id.</summary>
    private const string FILES_WITHOUT_FILESET_9 = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash", "Meta"."Length", NULL
        FROM "FileLookup"
        LEFT JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        LEFT JOIN "Blockset" "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE NOT EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = "FileLookup"."ID")
        """;

    /// <summary>Scans IndexBlockLink; Remotevolume by row id.</summary>
    private const string INDEX_LINKS = """
        SELECT "IndexBlockLink"."IndexVolumeID", "IndexVolume"."Name", "IndexBlockLink"."BlockVolumeID", "BlockVolume"."Name"
        FROM "IndexBlockLink"
        LEFT JOIN "Remotevolume" "IndexVolume" ON "IndexVolume"."ID" = "IndexBlockLink"."IndexVolumeID"
        LEFT JOIN "Remotevolume" "BlockVolume" ON "BlockVolume"."ID" = "IndexBlockLink"."BlockVolumeID"
        """;

    /// <summary>Scans RestoreTestHistory, one row a file that was tested.</summary>
    private const string RESTORE_TESTS = """SELECT "Path", "LastVerified", "LastResult" FROM "RestoreTestHistory" """;

    /// <summary>Scans Configuration.</summary>
    private const string CONFIGURATION = """SELECT "Key", "Value" FROM "Configuration" """;

    /// <summary>Scans Operation in row id order.</summary>
    private const string OPERATIONS = """SELECT "Description" FROM "Operation" ORDER BY "ID" """;

    /// <summary>Scans the schema table; leaves out SQLite's own objects, like statistics.</summary>
    private const string SCHEMA_OBJECTS = """SELECT "type", "name", "tbl_name" FROM "sqlite_master" WHERE "name" NOT GLOB 'sqlite_*' """;

    /// <summary>Spools lines that are too many to sort in memory.</summary>
    internal const string CREATE_SPOOL = """
        PRAGMA main.journal_mode = OFF;
        PRAGMA main.synchronous = OFF;
        CREATE TABLE "Spool" ("Line" TEXT NOT NULL);
        """;

    /// <summary>Appends one line.</summary>
    internal const string SPOOL = """INSERT INTO "Spool" ("Line") VALUES ($line)""";

    /// <summary>Sorts the whole table, in files if need be.</summary>
    internal const string READ_SPOOL = """SELECT "Line" FROM "Spool" ORDER BY "Line" """;

    /// <summary>Counts the rows of a table. A name cannot be bound; it comes from the schema table and is quoted.</summary>
    private static string CountRows(string table) =>
        string.Concat("SELECT COUNT(*) FROM \"", table.Replace("\"", "\"\"", StringComparison.Ordinal), "\"");

    /// <summary>Scans Remotevolume.</summary>
    private string VolumeRows =>
        $"""
            SELECT "Name", "Type", "Size", "Hash", "State", "VerificationCount", {Column("Remotevolume", "DeleteGraceTime")},
                {Column("Remotevolume", "ArchiveTime")}, {Column("Remotevolume", "LockExpirationTime")}
            FROM "Remotevolume"
            """;

    /// <summary>Scans Metadataset; Blockset by row id.</summary>
    private string MetadatasetRows =>
        $"""
            SELECT "Blockset"."FullHash", "Blockset"."Length", {Column("Metadataset", "Content")}
            FROM "Metadataset"
            LEFT JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
            """;

    /// <summary>Scans Fileset; Remotevolume by row id.</summary>
    private string FilesetRows =>
        $"""
            SELECT "Fileset"."ID", "Fileset"."Timestamp", {Column("Fileset", "IsFullBackup")}, "Fileset"."VolumeID", "Remotevolume"."Name",
                {Column("Fileset", "Label")}
            FROM "Fileset"
            LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "Fileset"."VolumeID"
            ORDER BY "Fileset"."Timestamp", "Fileset"."ID"
            """;

    /// <summary>
    /// Searches FilesetEntry by FilesetentryIndex or its primary key (scans before version 4); the rest by row id. Before version 9.
    /// </summary>
    private string EntriesOfFiles =>
        $"""
            SELECT "File"."Path", "File"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash", "Meta"."Length",
                "FilesetEntry".{(Has("FilesetEntry", "Lastmodified") ? "Lastmodified" : "Scantime")}
            FROM "FilesetEntry"
            LEFT JOIN "File" ON "File"."ID" = "FilesetEntry"."FileID"
            LEFT JOIN "Blockset" "Data" ON "Data"."ID" = "File"."BlocksetID"
            LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "File"."MetadataID"
            LEFT JOIN "Blockset" "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
            WHERE "FilesetEntry"."FilesetID" = $fileset
            """;

    private const long FOLDER_BLOCKSET = -100;
    private const long SYMLINK_BLOCKSET = -200;
    private const long NO_VOLUME = -1;

    private readonly ReadingConnection m_reading;
    private readonly SqliteConnection m_connection;
    private readonly SqliteTransaction m_transaction;
    private readonly bool m_hasPrefixes;

    /// <summary>Opens a database for reading.</summary>
    /// <param name="path">The file.</param>
    /// <exception cref="SqliteException">It cannot be opened, or is no database.</exception>
    public DatabaseDumpReader(string path)
    {
        m_reading = new ReadingConnection(path);
        m_connection = m_reading.Connection;
        try
        {
            m_transaction = m_connection.BeginTransaction(deferred: true);
            m_hasPrefixes = DumpQuery.HasColumn(m_connection, "PathPrefix", "Prefix");
        }
        catch
        {
            m_reading.Dispose();
            throw;
        }
    }

    /// <summary>Version of the schema.</summary>
    public int SchemaVersion => LeftOutIndexes.SchemaOf(checked((int)DumpQuery.Number(m_connection, VERSION)));

    /// <summary>What an operation that fills the database has left out, and not made good yet; null if nothing.</summary>
    public (IReadOnlyList<string> Names, bool IsBeingFilled)? LeftOut => LeftOutIndexes.Read(m_connection);

    /// <summary>Result of SQLite's check of the file, <c>ok</c> for a sound one.</summary>
    public string IntegrityCheck => string.Join('\n', Rows(INTEGRITY_CHECK, row => row.GetString(0)));

    /// <summary>Remote volumes.</summary>
    public IEnumerable<DumpVolume> RemoteVolumes =>
        Rows(
            VolumeRows,
            row => new DumpVolume(
                row.GetString(0),
                row.GetString(1),
                row.NumberOrNull(2),
                row.TextOrNull(3),
                row.GetString(4),
                row.GetInt64(5),
                row.NumberOrNull(6),
                row.NumberOrNull(7),
                row.NumberOrNull(8)
            )
        );

    /// <summary>Blocks in use.</summary>
    public IEnumerable<DumpBlock> Blocks => Rows(BLOCKS, Block);

    /// <summary>Further copies of blocks in use.</summary>
    public IEnumerable<DumpBlock> DuplicateBlocks => Rows(DUPLICATE_BLOCKS, Block);

    /// <summary>Blocks no longer in use.</summary>
    public IEnumerable<DumpBlock> DeletedBlocks => Rows(DELETED_BLOCKS, Block);

    /// <summary>Blocksets.</summary>
    public IEnumerable<DumpBlockset> Blocksets => BlocksetMerge.Read(m_connection);

    /// <summary>Metadata records.</summary>
    public IEnumerable<DumpMetadataset> Metadatasets =>
        Rows(MetadatasetRows, row => new DumpMetadataset(row.TextOrNull(0) ?? DumpNames.Missing, row.NumberOrNull(1), row.TextOrNull(2)));

    /// <summary>Path prefixes; null before version 9.</summary>
    public IEnumerable<string>? PathPrefixes => m_hasPrefixes ? Rows(PREFIXES, row => row.GetString(0)) : null;

    /// <summary>Backup versions, oldest first.</summary>
    public IEnumerable<DumpFileset> Filesets =>
        Rows(
            FilesetRows,
            row => new DumpFileset(row.GetInt64(1), row.NumberOrNull(2), Volume(row, 3, 4), row.TextOrNull(5), Entries(row.GetInt64(0)))
        );

    /// <summary>Files that no fileset holds.</summary>
    public IEnumerable<DumpEntry> FilesWithoutFileset => Rows(m_hasPrefixes ? FILES_WITHOUT_FILESET_9 : FILES_WITHOUT_FILESET_0, Entry);

    /// <summary>Links of index volumes to block volumes.</summary>
    public IEnumerable<DumpIndexLink> IndexBlockLinks => Rows(INDEX_LINKS, row => new DumpIndexLink(Volume(row, 0, 1), Volume(row, 2, 3)));

    /// <summary>Files that restore tests have looked at; null before version 21.</summary>
    public IEnumerable<DumpRestoreTest>? RestoreTests =>
        Has("RestoreTestHistory", "Path")
            ? Rows(RESTORE_TESTS, row => new DumpRestoreTest(row.GetString(0), row.GetInt64(1), row.GetString(2)))
            : null;

    /// <summary>Stored options, by name in ordinal order.</summary>
    public IReadOnlyDictionary<string, string> Configuration =>
        Sorted(Rows(CONFIGURATION, row => KeyValuePair.Create(row.GetString(0), row.GetString(1))));

    /// <summary>Descriptions of the operations, oldest first.</summary>
    public IEnumerable<string> Operations => Rows(OPERATIONS, row => row.GetString(0));

    /// <summary>Rows of each table and view; names in lower case and ordinal order.</summary>
    public IReadOnlyDictionary<string, long> RowCounts =>
        Sorted(
            SchemaObjects
                .Where(x => x.Type is "table" or "view")
                .Select(x => KeyValuePair.Create(x.Name, DumpQuery.Number(m_connection, CountRows(x.Name))))
        );

    /// <summary>Tables, indices and views.</summary>
    public IEnumerable<DumpSchemaObject> SchemaObjects =>
        Rows(SCHEMA_OBJECTS, row => new DumpSchemaObject(row.GetString(0), Lower(row.GetString(1)), Lower(row.GetString(2))));

    /// <summary>Closes the database.</summary>
    public void Dispose()
    {
        m_transaction.Dispose();
        m_reading.Dispose();
    }

    private IEnumerable<DumpEntry> Entries(long fileset) =>
        DumpQuery.Rows(m_connection, m_hasPrefixes ? ENTRIES_9 : EntriesOfFiles, Entry, ("$fileset", fileset));

    private IEnumerable<T> Rows<T>(string sql, Func<SqliteDataReader, T> read) => DumpQuery.Rows(m_connection, sql, read);

    // A column, or nothing in its place before the version that brings it.
    private string Column(string table, string column) => Has(table, column) ? $"\"{table}\".\"{column}\"" : "NULL";

    private bool Has(string table, string column) => DumpQuery.HasColumn(m_connection, table, column);

    private static DumpBlock Block(SqliteDataReader row) =>
        new(row.TextOrNull(0) ?? DumpNames.Missing, row.NumberOrNull(1), Volume(row, 2, 3));

    private static DumpEntry Entry(SqliteDataReader row)
    {
        var kind = row.NumberOrNull(1) switch
        {
            FOLDER_BLOCKSET => DumpNames.Folder,
            SYMLINK_BLOCKSET => DumpNames.Symlink,
            _ => row.IsDBNull(2) ? DumpNames.Missing : DumpNames.File,
        };
        return new DumpEntry(
            row.TextOrNull(0) ?? DumpNames.Missing,
            kind,
            row.TextOrNull(2),
            row.NumberOrNull(3),
            row.TextOrNull(4) ?? DumpNames.Missing,
            row.NumberOrNull(5),
            row.NumberOrNull(6)
        );
    }

    private static string? Volume(SqliteDataReader row, int id, int name) =>
        row.TextOrNull(name) ?? (row.GetInt64(id) == NO_VOLUME ? null : DumpNames.Missing);

    private static string Lower(string name) => name.ToLowerInvariant();

    private static SortedDictionary<string, T> Sorted<T>(IEnumerable<KeyValuePair<string, T>> pairs)
    {
        var sorted = new SortedDictionary<string, T>(StringComparer.Ordinal);
        foreach (var (key, value) in pairs)
            sorted[key] = value;
        return sorted;
    }
}

/// <summary>Joins blocksets with their blocks and blocklists: three statements in the same order, read side by side.</summary>
internal static class BlocksetMerge
{
    /// <summary>Streams the blocksets. Linear in the rows of the three tables.</summary>
    /// <param name="connection">An open database.</param>
    /// <returns>The blocksets in the order of their ids.</returns>
    public static IEnumerable<DumpBlockset> Read(SqliteConnection connection)
    {
        using var entries = DumpQuery
            .Rows(
                connection,
                DatabaseDumpReader.BLOCKSET_ENTRIES,
                row => (ID: row.GetInt64(0), Index: row.GetInt64(1), Hash: row.TextOrNull(2), Size: row.NumberOrNull(3))
            )
            .GetEnumerator();
        using var blocklists = DumpQuery
            .Rows(connection, DatabaseDumpReader.BLOCKLIST_HASHES, row => (ID: row.GetInt64(0), Hash: row.GetString(1)))
            .GetEnumerator();
        using var digest = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var moreEntries = entries.MoveNext();
        var moreBlocklists = blocklists.MoveNext();
        foreach (
            var (id, fullHash, length) in DumpQuery.Rows(
                connection,
                DatabaseDumpReader.ALL_BLOCKSETS,
                row => (row.GetInt64(0), row.GetString(1), row.GetInt64(2))
            )
        )
        {
            var count = 0L;
            var contiguous = true;
            for (; moreEntries && entries.Current.ID <= id; moreEntries = entries.MoveNext())
                if (entries.Current.ID == id)
                {
                    contiguous &= entries.Current.Index == count++;
                    digest.AppendData(Line(entries.Current.Hash, entries.Current.Size));
                }

            var hashes = new List<string>();
            for (; moreBlocklists && blocklists.Current.ID <= id; moreBlocklists = blocklists.MoveNext())
                if (blocklists.Current.ID == id)
                    hashes.Add(blocklists.Current.Hash);
            yield return new DumpBlockset(fullHash, length, count, contiguous, Convert.ToHexStringLower(digest.GetHashAndReset()), hashes);
        }
    }

    private static byte[] Line(string? hash, long? size) =>
        Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{hash ?? DumpNames.Missing}:{size}\n"));
}
