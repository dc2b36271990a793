// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.VolumeTest;

/// <summary>
/// What was found in one remote volume, in a temporary table of its own, to be compared with what the database says of it.
/// Comparing is of the order n log n in both sides, may be repeated, and reads the answer before handing it out.
/// </summary>
internal abstract class ComparisonList : IDisposable, IAsyncDisposable
{
    private readonly TempTableTemplate m_table;
    private readonly string m_insertText;
    private readonly string m_digits;
    private Statement? m_insert;
    private bool m_disposed;

    private protected ComparisonList(DatabaseSession session, string volume, TempTableTemplate table, string insert)
    {
        Session = session;
        Volume = volume;
        m_table = table;
        m_digits = table.Make(session);
        m_insertText = TempTableTemplate.Text(insert, m_digits);
    }

    private protected DatabaseSession Session { get; }

    /// <summary>Name of the remote volume that the content belongs to.</summary>
    private protected string Volume { get; }

    /// <summary>Number of rows added so far; tells rows of the same key apart.</summary>
    private protected long Serial { get; private set; }

    /// <summary>
    /// Removes the table; errors are ignored, since a rollback or the end of the connection may have removed it. May be called more than
    /// once.
    /// </summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        Session.TryRemove(session =>
        {
            m_insert?.Dispose();
            m_table.Remove(session, m_digits);
        });
        GC.SuppressFinalize(this);
    }

    /// <summary>As <see cref="Dispose"/>.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>
    /// Takes something that was found, with the connection lock held. Completes synchronously, without allocating when it succeeds.
    /// </summary>
    internal static Task Take<T>(DatabaseSession session, T found, Action<T> take, CancellationToken token)
    {
        try
        {
            token.ThrowIfCancellationRequested();
            lock (session.ConnectionLock)
                take(found);
            return Task.CompletedTask;
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            return Task.FromCanceled(token);
        }
        catch (Exception ex)
        {
            return Task.FromException(ex);
        }
    }

    /// <summary>Adds one row. Completes as <see cref="Take"/> does.</summary>
    private protected Task Add<T>(T row, Action<Statement, T> bind, CancellationToken token) =>
        Take(Session, (List: this, Row: row, Bind: bind), static x => x.List.Insert(x.Row, x.Bind), token);

    /// <summary>Adds one row, with the connection lock held.</summary>
    private protected void Insert<T>(T row, Action<Statement, T> bind)
    {
        ObjectDisposedException.ThrowIf(m_disposed, this);
        m_insert ??= Session.Statements.Prepare(m_insertText);
        Serial++;
        bind(m_insert, row);
        m_insert.ExecuteNonQuery();
    }

    /// <summary>Reads the keys a statement about this list yields, and appends them with a status.</summary>
    private protected void Collect(
        List<KeyValuePair<TestEntryStatus, string>> differences,
        TestEntryStatus status,
        string sql,
        bool aboutVolume = false
    )
    {
        using var rows = Session.Statements.Prepare(TempTableTemplate.Text(sql, m_digits));
        if (aboutVolume)
            rows.Bind(1, Volume);
        while (rows.Read())
            differences.Add(KeyValuePair.Create(status, rows.GetString(0)!));
    }
}

/// <summary>The blocks of a volume, by hash; see <see cref="FoundBlocks"/>.</summary>
internal sealed class StoredBlocks(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.Blocklist, AddBlock)
{
    // The table's primary key.
    private const string AddBlock = """INSERT OR IGNORE INTO temp."Blocklist-{0}" ("Hash", "Size") VALUES (?1, ?2)""";

    // Both keys, in order of hash.
    private const string MissingBlocks = """
        SELECT DISTINCT c."Hash" FROM temp."ComparedBlock" c
        WHERE NOT EXISTS (SELECT 1 FROM temp."Blocklist-{0}" l WHERE l."Hash" = c."Hash") ORDER BY c."Hash"
        """;

    // Both keys, in order of hash.
    private const string ExtraBlocks = """
        SELECT DISTINCT l."Hash" FROM temp."Blocklist-{0}" l
        WHERE NOT EXISTS (SELECT 1 FROM temp."ComparedBlock" c WHERE c."Hash" = l."Hash") ORDER BY l."Hash"
        """;

    // Both keys, in order of hash.
    private const string ModifiedBlocks = """
        SELECT DISTINCT c."Hash"
        FROM temp."ComparedBlock" c
        CROSS JOIN temp."Blocklist-{0}" l ON l."Hash" = c."Hash"
        WHERE l."Size" <> c."Size"
        ORDER BY c."Hash"
        """;

    /// <summary>Adds a block, with the connection lock held.</summary>
    internal void Add(string hash, long size) =>
        Insert((Hash: hash, Size: size), static (insert, x) => insert.Bind(1, x.Hash).Bind(2, x.Size));

    /// <summary>The differences from what the database says, with the connection lock held.</summary>
    internal List<KeyValuePair<TestEntryStatus, string>> Compare(DatabaseSession session)
    {
        var differences = new List<KeyValuePair<TestEntryStatus, string>>();
        VolumeContent.Of(session).FillBlocks(Volume);
        Collect(differences, TestEntryStatus.Missing, MissingBlocks);
        Collect(differences, TestEntryStatus.Extra, ExtraBlocks);
        Collect(differences, TestEntryStatus.Modified, ModifiedBlocks);
        return differences;
    }
}

/// <summary>The blocklists stored in an index volume, by hash and size: one of another size is both missing and extra.</summary>
internal sealed class FoundBlocklists(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.BlocklistHashList, AddBlocklist),
        LocalTestDatabase.IBlocklistHashList
{
    // The table's primary key.
    private const string AddBlocklist = """INSERT OR IGNORE INTO temp."BlocklistHashList-{0}" ("Hash", "Size") VALUES (?1, ?2)""";

    // Both keys, in order of hash.
    private const string MissingBlocklists = """
        SELECT DISTINCT c."Hash" FROM temp."ComparedBlock" c
        WHERE NOT EXISTS (SELECT 1 FROM temp."BlocklistHashList-{0}" l WHERE l."Hash" = c."Hash" AND l."Size" = c."Size") ORDER BY c."Hash"
        """;

    // Both keys, in order of hash.
    private const string ExtraBlocklists = """
        SELECT DISTINCT l."Hash" FROM temp."BlocklistHashList-{0}" l
        WHERE NOT EXISTS (SELECT 1 FROM temp."ComparedBlock" c WHERE c."Hash" = l."Hash" AND c."Size" = l."Size") ORDER BY l."Hash"
        """;

    public Task AddBlockHashAsync(string hash, long size, CancellationToken token) =>
        Add((Hash: hash, Size: size), static (insert, x) => insert.Bind(1, x.Hash).Bind(2, x.Size), token);

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(
        int hashesPerBlock,
        int hashSize,
        int blockSize,
        CancellationToken token
    ) =>
        Session.SnapshotAsync(
            session =>
            {
                var differences = new List<KeyValuePair<TestEntryStatus, string>>();
                VolumeContent.Of(session).FillBlocklists(Volume, hashesPerBlock, hashSize, blockSize);
                Collect(differences, TestEntryStatus.Missing, MissingBlocklists);
                Collect(differences, TestEntryStatus.Extra, ExtraBlocklists);
                return differences;
            },
            token
        );
}

/// <summary>The files of a list volume, by full path.</summary>
internal sealed class FoundFiles(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.Filelist, AddFile),
        LocalTestDatabase.IFilelist
{
    // The table's primary key.
    private const string AddFile =
        """INSERT INTO temp."Filelist-{0}" ("Path", "Serial", "Size", "Hash", "Metasize", "Metahash") VALUES (?1, ?2, ?3, ?4, ?5, ?6)""";

    // RemotevolumeNameOnly; reads Fileset, one row a version; key of FilesetEntry; FileLookup, PathPrefix, Metadataset and Blockset by id.
    private const string FillFiles = """
        INSERT OR IGNORE INTO temp."ComparedFile" ("Path", "ID", "Size", "Hash", "Metasize", "Metahash")
        SELECT p."Prefix" || l."Path", l."ID", IFNULL(s."Length", -1), s."FullHash", t."Length", t."FullHash"
        FROM "Fileset" f
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = f."ID"
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
        LEFT JOIN "Blockset" s ON s."ID" = l."BlocksetID"
        LEFT JOIN "Blockset" t ON t."ID" = m."BlocksetID"
        WHERE f."VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;

    // Both keys, in order of path.
    private const string MissingFiles = """
        SELECT DISTINCT c."Path" FROM temp."ComparedFile" c
        WHERE NOT EXISTS (SELECT 1 FROM temp."Filelist-{0}" l WHERE l."Path" = c."Path") ORDER BY c."Path"
        """;

    // Both keys, in order of path.
    private const string ExtraFiles = """
        SELECT DISTINCT l."Path" FROM temp."Filelist-{0}" l
        WHERE NOT EXISTS (SELECT 1 FROM temp."ComparedFile" c WHERE c."Path" = l."Path") ORDER BY l."Path"
        """;

    // Both keys, in order of path. What is NULL on either side is no difference.
    private const string ModifiedFiles = """
        SELECT DISTINCT c."Path"
        FROM temp."ComparedFile" c
        CROSS JOIN temp."Filelist-{0}" l ON l."Path" = c."Path"
        WHERE l."Size" <> c."Size" OR l."Hash" <> c."Hash" OR l."Metasize" <> c."Metasize" OR l."Metahash" <> c."Metahash"
        ORDER BY c."Path"
        """;

    // What has no content has no length either.
    private const long NoSize = -1;

    public Task AddAsync(
        string path,
        long size,
        string? hash,
        long metasize,
        string? metahash,
        IEnumerable<string> blocklistHashes,
        FilelistEntryType type,
        DateTime time,
        CancellationToken token
    ) =>
        Add(
            (List: this, Path: path, Size: hash is null ? NoSize : size, Hash: hash, Metasize: metasize, Metahash: metahash),
            static (insert, x) =>
                insert.Bind(1, x.Path).Bind(2, x.List.Serial).Bind(3, x.Size).Bind(4, x.Hash).Bind(5, x.Metasize).Bind(6, x.Metahash),
            token
        );

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token) =>
        Session.SnapshotAsync(
            session =>
            {
                var differences = new List<KeyValuePair<TestEntryStatus, string>>();
                TestingTables.ComparedFile.Reset(session);
                using (var fill = session.Take(FillFiles))
                    fill.Bind(1, Volume).ExecuteNonQuery();
                Collect(differences, TestEntryStatus.Missing, MissingFiles);
                Collect(differences, TestEntryStatus.Extra, ExtraFiles);
                Collect(differences, TestEntryStatus.Modified, ModifiedFiles);
                // As big as the list itself, and of no use to the next comparison.
                TestingTables.ComparedFile.Reset(session);
                return differences;
            },
            token
        );
}

/// <summary>The block volumes that an index volume describes, by name.</summary>
internal sealed class FoundLinks(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.Indexlist, AddLink),
        LocalTestDatabase.IIndexlist
{
    // The table's primary key.
    private const string AddLink = """INSERT INTO temp."Indexlist-{0}" ("Name", "Serial", "Hash", "Size") VALUES (?1, ?2, ?3, ?4)""";

    // RemotevolumeNameOnly; reads IndexBlockLink, one row a volume; Remotevolume by id, key of the list.
    private const string MissingLinks = """
        SELECT DISTINCT v."Name"
        FROM "IndexBlockLink" k
        CROSS JOIN "Remotevolume" v ON v."ID" = k."BlockVolumeID"
        WHERE k."IndexVolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
            AND NOT EXISTS (SELECT 1 FROM temp."Indexlist-{0}" l WHERE l."Name" = v."Name")
        ORDER BY v."Name"
        """;

    // Reads the list; the linked volumes are made into a set once. The plus keeps the planner from building an index for that.
    private const string ExtraLinks = """
        SELECT DISTINCT l."Name"
        FROM temp."Indexlist-{0}" l
        WHERE l."Name" NOT IN (
            SELECT v."Name"
            FROM "IndexBlockLink" k
            CROSS JOIN "Remotevolume" v ON v."ID" = k."BlockVolumeID"
            WHERE +k."IndexVolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1))
        ORDER BY l."Name"
        """;

    // As MissingLinks. What is NULL on either side is no difference.
    private const string ModifiedLinks = """
        SELECT DISTINCT v."Name"
        FROM "IndexBlockLink" k
        CROSS JOIN "Remotevolume" v ON v."ID" = k."BlockVolumeID"
        CROSS JOIN temp."Indexlist-{0}" l ON l."Name" = v."Name"
        WHERE k."IndexVolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1) AND (l."Hash" <> v."Hash" OR l."Size" <> v."Size")
        ORDER BY v."Name"
        """;

    public Task AddBlockLinkAsync(string filename, string hash, long length, CancellationToken token) =>
        Add(
            (List: this, Name: filename, Hash: hash, Size: length),
            static (insert, x) => insert.Bind(1, x.Name).Bind(2, x.List.Serial).Bind(3, x.Hash).Bind(4, x.Size),
            token
        );

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token) =>
        Session.SnapshotAsync(
            session =>
            {
                var differences = new List<KeyValuePair<TestEntryStatus, string>>();
                Collect(differences, TestEntryStatus.Missing, MissingLinks, aboutVolume: true);
                Collect(differences, TestEntryStatus.Extra, ExtraLinks, aboutVolume: true);
                Collect(differences, TestEntryStatus.Modified, ModifiedLinks, aboutVolume: true);
                return differences;
            },
            token
        );
}
