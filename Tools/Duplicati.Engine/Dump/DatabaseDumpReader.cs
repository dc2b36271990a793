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

/// <summary>Reads the content of a database file of any schema version, without changing or upgrading it.</summary>
/// <remarks>
/// Everything is read in one transaction and streams: a property holds nothing in memory but the row at hand. One thread at a
/// time. Several streams may be open at once.
/// </remarks>
public sealed class DatabaseDumpReader : IDumpSource, IDisposable
{
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

    /// <inheritdoc/>
    public int SchemaVersion => LeftOutIndexes.SchemaOf(checked((int)DumpQuery.Number(m_connection, DumpSql.VERSION)));

    /// <summary>What an operation that fills the database has left out, and not made good yet; null if nothing.</summary>
    public (IReadOnlyList<string> Names, bool IsBeingFilled)? LeftOut => LeftOutIndexes.Read(m_connection);

    /// <inheritdoc/>
    public string IntegrityCheck => string.Join('\n', Rows(DumpSql.INTEGRITY_CHECK, row => row.GetString(0)));

    /// <inheritdoc/>
    public IEnumerable<DumpVolume> RemoteVolumes =>
        Rows(
            Has("Remotevolume", "LockExpirationTime") ? DumpSql.VOLUMES_18
                : Has("Remotevolume", "ArchiveTime") ? DumpSql.VOLUMES_15
                : Has("Remotevolume", "DeleteGraceTime") ? DumpSql.VOLUMES_3
                : DumpSql.VOLUMES_0,
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

    /// <inheritdoc/>
    public IEnumerable<DumpBlock> Blocks => Rows(DumpSql.BLOCKS, Block);

    /// <inheritdoc/>
    public IEnumerable<DumpBlock> DuplicateBlocks => Rows(DumpSql.DUPLICATE_BLOCKS, Block);

    /// <inheritdoc/>
    public IEnumerable<DumpBlock> DeletedBlocks => Rows(DumpSql.DELETED_BLOCKS, Block);

    /// <inheritdoc/>
    public IEnumerable<DumpBlockset> Blocksets => BlocksetMerge.Read(m_connection);

    /// <inheritdoc/>
    public IEnumerable<DumpMetadataset> Metadatasets =>
        Rows(
            Has("Metadataset", "Content") ? DumpSql.METADATASETS_19 : DumpSql.METADATASETS_0,
            row => new DumpMetadataset(row.TextOrNull(0) ?? DumpNames.Missing, row.NumberOrNull(1), row.TextOrNull(2))
        );

    /// <inheritdoc/>
    public IEnumerable<string>? PathPrefixes => m_hasPrefixes ? Rows(DumpSql.PREFIXES, row => row.GetString(0)) : null;

    /// <inheritdoc/>
    public IEnumerable<DumpFileset> Filesets =>
        Rows(
            Has("Fileset", "IsFullBackup") ? DumpSql.FILESETS_10 : DumpSql.FILESETS_0,
            row => new DumpFileset(row.GetInt64(1), row.NumberOrNull(2), Volume(row, 3, 4), Entries(row.GetInt64(0)))
        );

    /// <inheritdoc/>
    public IEnumerable<DumpEntry> FilesWithoutFileset =>
        Rows(m_hasPrefixes ? DumpSql.FILES_WITHOUT_FILESET_9 : DumpSql.FILES_WITHOUT_FILESET_0, Entry);

    /// <inheritdoc/>
    public IEnumerable<DumpIndexLink> IndexBlockLinks =>
        Rows(DumpSql.INDEX_LINKS, row => new DumpIndexLink(Volume(row, 0, 1), Volume(row, 2, 3)));

    /// <inheritdoc/>
    public IReadOnlyDictionary<string, string> Configuration =>
        Sorted(Rows(DumpSql.CONFIGURATION, row => KeyValuePair.Create(row.GetString(0), row.GetString(1))));

    /// <inheritdoc/>
    public IEnumerable<string> Operations => Rows(DumpSql.OPERATIONS, row => row.GetString(0));

    /// <inheritdoc/>
    public IReadOnlyDictionary<string, long> RowCounts =>
        Sorted(
            SchemaObjects
                .Where(x => x.Type is "table" or "view")
                .Select(x => KeyValuePair.Create(x.Name, DumpQuery.Number(m_connection, DumpSql.CountRows(x.Name))))
        );

    /// <inheritdoc/>
    public IEnumerable<DumpSchemaObject> SchemaObjects =>
        Rows(DumpSql.SCHEMA_OBJECTS, row => new DumpSchemaObject(row.GetString(0), Lower(row.GetString(1)), Lower(row.GetString(2))));

    /// <summary>Closes the database.</summary>
    public void Dispose()
    {
        m_transaction.Dispose();
        m_reading.Dispose();
    }

    private IEnumerable<DumpEntry> Entries(long fileset) =>
        DumpQuery.Rows(
            m_connection,
            m_hasPrefixes ? DumpSql.ENTRIES_9
                : Has("FilesetEntry", "Lastmodified") ? DumpSql.ENTRIES_2
                : DumpSql.ENTRIES_0,
            Entry,
            ("$fileset", fileset)
        );

    private IEnumerable<T> Rows<T>(string sql, Func<SqliteDataReader, T> read) => DumpQuery.Rows(m_connection, sql, read);

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
                DumpSql.BLOCKSET_ENTRIES,
                row => (ID: row.GetInt64(0), Index: row.GetInt64(1), Hash: row.TextOrNull(2), Size: row.NumberOrNull(3))
            )
            .GetEnumerator();
        using var blocklists = DumpQuery
            .Rows(connection, DumpSql.BLOCKLIST_HASHES, row => (ID: row.GetInt64(0), Hash: row.GetString(1)))
            .GetEnumerator();
        using var digest = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var moreEntries = entries.MoveNext();
        var moreBlocklists = blocklists.MoveNext();
        foreach (
            var (id, fullHash, length) in DumpQuery.Rows(
                connection,
                DumpSql.BLOCKSETS,
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
