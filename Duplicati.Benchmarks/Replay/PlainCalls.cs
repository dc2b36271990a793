// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Replay;

/// <summary>
/// The way of the replaced layer: its settings, its commit points, and a prepared command of the provider for each row. No log, no text of
/// statements, nothing asynchronous, and no term that is quadratic: that layer at its best.
/// </summary>
internal class PlainCalls : IDisposable
{
    private const string Settings = """
        PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA journal_mode = WAL; PRAGMA cache_size = -65536;
        PRAGMA mmap_size = 67108864; PRAGMA threads = 8; PRAGMA busy_timeout = 10000
        """;
    private const string BeginOperation = """INSERT INTO "Operation" (Description, Timestamp) VALUES (@p0, @p1)""";
    private const string Optimize = "PRAGMA optimize";

    /// <summary>RemotevolumeNameOnly.</summary>
    private const string FindVolumeSql = """SELECT ID FROM Remotevolume WHERE Name = @p0""";

    /// <summary>RemotevolumeNameOnly.</summary>
    private const string FinishVolumeSql =
        """UPDATE Remotevolume SET OperationID = 1, State = 'Verified', Size = @p1, Hash = @p2 WHERE Name = @p0""";
    private const string LinkSql = """INSERT INTO IndexBlockLink (IndexVolumeID, BlockVolumeID) VALUES (@p0, @p1)""";

    /// <summary>PathPrefixPrefix.</summary>
    private const string FindPrefix = """SELECT ID FROM PathPrefix WHERE Prefix = @p0""";
    private const string AddBlocklistHash = """INSERT INTO BlocklistHash (BlocksetID, "Index", Hash) VALUES (@p0, @p1, @p2)""";
    private const string InsertPrefix = """INSERT INTO PathPrefix (Prefix) VALUES (@p0) RETURNING ID""";

    /// <summary>A content as metadata.</summary>
    protected const string InsertMetadata = "INSERT INTO Metadataset (BlocksetID) VALUES (@p0) RETURNING ID";

    private readonly SqliteConnection m_connection;
    private (string Prefix, long Id) m_lastPrefix = ("", -1);

    /// <summary>Opens a database, or makes it, and begins an operation.</summary>
    /// <param name="path">Its file.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="connection">Open on it, with settings of its own.</param>
    public PlainCalls(string path, string operation, SqliteConnection? connection = null)
    {
        var isNew = !File.Exists(path) || connection is not null;
        m_connection =
            connection ?? new SqliteConnection(new SqliteConnectionStringBuilder { DataSource = path, Pooling = false }.ToString());
        Statements = new PlainStatements(m_connection);
        if (connection is null)
        {
            m_connection.Open();
            Statements.Execute(Settings);
        }

        if (isNew)
            DatabaseUpgrader.UpgradeDatabase(m_connection, path, typeof(DatabaseSchemaMarker));
        Statements.Execute(PlainSql.Begin);
        Statements.Execute(BeginOperation, operation, DateTimeOffset.UtcNow.ToUnixTimeSeconds());
    }

    /// <summary>Its statements.</summary>
    public PlainStatements Statements { get; }

    public void Commit()
    {
        Statements.Again(PlainSql.Commit);
        Statements.Again(PlainSql.Begin);
    }

    public long FindVolume(RecordedVolume volume) => Id(FindVolumeSql, volume.Name);

    public long RegisterVolume(RecordedVolume volume) => Id(PlainSql.InsertVolume, volume.Name, volume.Type.ToString());

    public void FinishVolume(RecordedVolume volume) => Statements.Again(FinishVolumeSql, volume.Name, volume.Size, volume.Hash);

    public void Link(long index, long blocks) => Statements.Again(LinkSql, index, blocks);

    public long CreateVersion(long list, long time) => Id(PlainSql.InsertFileset, time, list);

    public void SetFull(long version) => Statements.Again(PlainSql.SetFull, version);

    // The replaced layer remembers the last ones as well.
    public long Prefix(string prefix)
    {
        if (m_lastPrefix.Prefix == prefix)
            return m_lastPrefix.Id;
        var id = PrefixId(prefix);
        if (id < 0)
            id = Id(InsertPrefix, prefix);
        m_lastPrefix = (prefix, id);
        return id;
    }

    /// <summary>The id of a folder; -1 if there is none.</summary>
    public long PrefixId(string prefix) => Id(FindPrefix, prefix);

    /// <summary>All checks of a database, with those of every file list if asked to.</summary>
    /// <exception cref="InvalidOperationException">There is a fault.</exception>
    public void Check(int hashesInList, bool lists)
    {
        var faults = PlainSql.Checks.Sum(check => Statements.Scalar(check, hashesInList));
        if (lists)
        {
            var versions = new List<long>();
            Statements.Read(PlainSql.Filesets, row => versions.Add(row.GetInt64(0)));
            faults += versions.Sum(id =>
                Math.Abs(Statements.Scalar(PlainSql.CountEntries, id) - Statements.Scalar(PlainSql.CountListed, id))
            );
        }

        if (faults != 0)
            throw new InvalidOperationException(FormattableString.Invariant($"The checks by plain statements find {faults} faults."));
    }

    /// <summary>The id of a content, which is added with its lists if it is new.</summary>
    protected (long Id, bool IsNew) FindOrAddBlockset(RecordedBlockset content)
    {
        var id = Id(PlainSql.FindBlockset, content.Hash, content.Length);
        if (id >= 0)
            return (id, false);
        id = Id(PlainSql.InsertBlockset, content.Hash, content.Length);
        for (var i = 0; i < content.Lists.Count; i++)
            Statements.Again(AddBlocklistHash, id, (long)i, content.Lists[i].Hash);
        return (id, true);
    }

    /// <summary>The number that a statement gives; -1 if none.</summary>
    protected long Id(string sql, params ReadOnlySpan<object> values) => Statements.Again(sql, values) is long value ? value : -1;

    /// <inheritdoc/>
    public void Dispose()
    {
        Statements.Execute(PlainSql.Rollback);
        Statements.Execute(Optimize);
        Statements.Dispose();
        m_connection.Dispose();
    }
}

/// <summary>A backup in that way.</summary>
internal sealed class PlainBackupCalls(string path, RecordedBackup backup, SqliteConnection? connection = null)
    : PlainCalls(path, "Backup", connection),
        IBackupCalls
{
    private const string Newest = """SELECT ID FROM Fileset ORDER BY Timestamp DESC LIMIT 1""";

    /// <summary>Row id.</summary>
    private const string FileHashSql =
        """SELECT B.FullHash FROM FileLookup AS F JOIN Blockset AS B ON B.ID = F.BlocksetID WHERE F.ID = @p0""";

    /// <summary>BlockHashSize.</summary>
    private const string InsertEntryOfBlockset = """
        INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID) SELECT @p0, @p1, ID FROM Block WHERE Hash = @p2 AND Size = @p3
        """;

    /// <summary>BlockHashSize, BlocksetEntry_IndexIdsBackwards, MetadatasetBlocksetID.</summary>
    private const string FindMetadata = """
        SELECT M.ID FROM Block AS B JOIN BlocksetEntry AS E ON E.BlockID = B.ID JOIN Metadataset AS M ON M.BlocksetID = E.BlocksetID
        WHERE B.Hash = @p0 AND B.Size = @p1
        """;

    private const string FillStates = """
        CREATE TEMP TABLE FileState (PrefixID INTEGER, Path TEXT, BlocksetID INTEGER, Metahash TEXT, IsNew INTEGER);
        INSERT INTO FileState SELECT F.PrefixID, F.Path, F.BlocksetID, N.FullHash, E.FilesetID = @p0 FROM FilesetEntry AS E
            JOIN FileLookup AS F ON F.ID = E.FileID LEFT JOIN Metadataset AS M ON M.ID = F.MetadataID
            LEFT JOIN Blockset AS N ON N.ID = M.BlocksetID
        WHERE E.FilesetID IN (@p0, @p1);
        CREATE INDEX temp.FileStatePath ON FileState (PrefixID, Path)
        """;
    private const string CountLonely = """
        SELECT COUNT(*) FROM FileState AS A WHERE A.IsNew = @p0 AND NOT EXISTS (SELECT 1 FROM FileState AS B
            WHERE B.PrefixID = A.PrefixID AND B.Path = A.Path AND B.IsNew <> A.IsNew)
        """;
    private const string CountModified = """
        SELECT COUNT(*) FROM FileState AS B JOIN FileState AS A ON A.PrefixID = B.PrefixID AND A.Path = B.Path
        WHERE B.IsNew = 0 AND A.IsNew = 1 AND (A.Metahash IS NOT B.Metahash OR (B.BlocksetID >= 0 AND A.BlocksetID <> B.BlocksetID))
        """;
    private const string DropStates = "DROP TABLE FileState";

    private long m_version;

    public long NewestVersion() => Id(Newest);

    public new long CreateVersion(long list, long time) => m_version = base.CreateVersion(list, time);

    public long Find(long prefix, string name, long version)
    {
        using var reader = Statements.ReadAgain(PlainSql.FindEntry, prefix, name, version);
        if (!reader.Read())
            return -1;
        _ = (reader.GetInt64(1), reader.GetInt64(2), reader.GetString(3), reader.GetInt64(4));
        return reader.GetInt64(0);
    }

    public string? FileHash(long file) => (string?)Statements.Again(FileHashSql, file);

    public bool AddBlock(RecordedBlock block, long volume)
    {
        if (Id(PlainSql.FindBlock, block.Hash, block.Size) >= 0)
            return false;
        Statements.Again(PlainSql.InsertBlock, block.Hash, block.Size, volume);
        return true;
    }

    // None is left out.
    public void BuildIndexes() { }

    public long AddBlockset(RecordedBlockset content)
    {
        var (id, isNew) = FindOrAddBlockset(content);
        if (!isNew)
            return id;
        for (var i = 0; i < content.Blocks.Count; i++)
            Statements.Again(InsertEntryOfBlockset, id, (long)i, content.Blocks[i].Hash, content.Blocks[i].Size);
        Commit();
        return id;
    }

    public long AddMetadata(RecordedBlockset metadata, long blockset)
    {
        var id = Id(FindMetadata, metadata.Hash, metadata.Length);
        if (id >= 0)
            return id;
        id = Id(InsertMetadata, blockset);
        Commit();
        return id;
    }

    public void AddFile(long prefix, string name, long modified, long blockset, long metadata)
    {
        var id = Id(PlainSql.FindFile, prefix, name, blockset, metadata);
        if (id < 0)
        {
            id = Id(PlainSql.InsertFile, prefix, name, blockset, metadata);
            Commit();
        }

        AddKnown(id, modified);
    }

    public void AddKnown(long file, long modified) => Statements.Again(PlainSql.InsertEntry, m_version, file, modified);

    public void Check(bool lists) => Check(backup.HashesInList, lists);

    public long CountChanges(long version, long previous)
    {
        Statements.Execute(FillStates, version, previous);
        var (added, deleted) = (Statements.Scalar(CountLonely, 1), Statements.Scalar(CountLonely, 0));
        var modified = Statements.Scalar(CountModified);
        Statements.Execute(DropStates);
        return HashCode.Combine(added, deleted, modified);
    }
}

/// <summary>A recreate in that way.</summary>
internal sealed class PlainRecreateCalls : PlainCalls, IRecreateCalls
{
    /// <summary>BlocksetFullHash, MetadatasetBlocksetID.</summary>
    private const string FindMetadata = """
        SELECT M.ID FROM Blockset AS B JOIN Metadataset AS M ON M.BlocksetID = B.ID WHERE B.FullHash = @p0 AND B.Length = @p1
        """;

    // Set-based, and without the term that is quadratic in the blocklists of a file.
    private const string Expand = """
        CREATE TEMP TABLE Expanded (BlocksetID INTEGER, Position INTEGER, Hash TEXT, Size INTEGER);
        INSERT INTO Expanded
        SELECT DISTINCT L.BlocksetID, L."Index" * @p1 + T.Position, T.BlockHash,
            MIN(@p0, S.Length - (L."Index" * @p1 + T.Position) * @p0)
        FROM BlocklistHash AS L CROSS JOIN Blockset AS S ON S.ID = L.BlocksetID CROSS JOIN StagedList AS T ON T.ListHash = L.Hash
        WHERE EXISTS (SELECT 1 FROM Block AS B WHERE B.Hash = L.Hash
            AND B.Size = MIN(@p1, (S.Length + @p0 - 1) / @p0 - L."Index" * @p1) * @p2)
        """;
    private const string AddExpanded = """
        INSERT INTO Block (Hash, Size, VolumeID)
        SELECT DISTINCT X.Hash, X.Size, -1 FROM (SELECT Hash, Size FROM Expanded UNION SELECT BlockHash, BlockSize FROM StagedSmall) AS X
        WHERE NOT EXISTS (SELECT 1 FROM Block AS B WHERE B.Hash = X.Hash AND B.Size = X.Size);
        INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID)
        SELECT X.BlocksetID, X.Position, B.ID FROM (
            SELECT BlocksetID, Position, Hash, Size FROM Expanded
            UNION SELECT S.ID, 0, M.BlockHash, M.BlockSize FROM StagedSmall AS M
            CROSS JOIN Blockset AS S ON S.FullHash = M.FileHash AND S.Length = M.BlockSize) AS X
        CROSS JOIN Block AS B ON B.Hash = X.Hash AND B.Size = X.Size
        WHERE NOT EXISTS (SELECT 1 FROM BlocksetEntry AS E WHERE E.BlocksetID = X.BlocksetID AND E."Index" = X.Position);
        DROP TABLE Expanded
        """;

    /// <summary>Blocklists whose first block is not there, with the volumes that hold them.</summary>
    private const string MissingLists = """
        SELECT COUNT(DISTINCT B.VolumeID) FROM BlocklistHash AS L JOIN Block AS B ON B.Hash = L.Hash
        WHERE NOT EXISTS (SELECT 1 FROM BlocksetEntry AS E WHERE E.BlocksetID = L.BlocksetID AND E."Index" = L."Index" * @p0)
        """;
    private const string MissingBlocks = """SELECT COUNT(DISTINCT VolumeID) FROM Block WHERE VolumeID < 0 AND Size > 0""";

    // Tables like those of the reference: text, with their indexes, in memory by temp_store.
    private const string Stage = """
        CREATE TEMP TABLE StagedList (ListHash TEXT, BlockHash TEXT, Position INTEGER);
        CREATE INDEX temp.StagedListHash ON StagedList (ListHash);
        CREATE TEMP TABLE StagedSmall (FileHash TEXT NOT NULL, BlockHash TEXT NOT NULL, BlockSize INTEGER NOT NULL);
        CREATE UNIQUE INDEX temp.StagedSmallFile ON StagedSmall (FileHash, BlockSize);
        CREATE UNIQUE INDEX temp.StagedSmallBlock ON StagedSmall (BlockHash, BlockSize)
        """;

    private const string AddLink = "INSERT OR IGNORE INTO StagedSmall (FileHash, BlockHash, BlockSize) VALUES (@p0, @p0, @p1)";

    // BlockHashSize.
    private const string FindVolumeOfBlock = "SELECT VolumeID FROM Block WHERE Hash = @p0 AND Size = @p1";

    // The index on ListHash.
    private const string FindList = "SELECT 1 FROM StagedList WHERE ListHash = @p0 LIMIT 1";

    private const string AddListEntry = "INSERT INTO StagedList (ListHash, BlockHash, Position) VALUES (@p0, @p1, @p2)";

    private const string Cleanup = """
        DELETE FROM Block WHERE VolumeID NOT IN (SELECT ID FROM Remotevolume WHERE State <> 'Temporary');
        INSERT INTO DeletedBlock (Hash, Size, VolumeID) SELECT Hash, Size, VolumeID FROM Block
            WHERE ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND Hash NOT IN (SELECT Hash FROM BlocklistHash);
        DELETE FROM Block WHERE ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND Hash NOT IN (SELECT Hash FROM BlocklistHash)
        """;

    private readonly RecordedBackup m_backup;

    public PlainRecreateCalls(string path, RecordedBackup backup, SqliteConnection? connection = null)
        : base(path, "Recreate", connection)
    {
        m_backup = backup;
        Statements.Execute(Stage);
    }

    public long AddBlockset(RecordedBlockset content) => FindOrAddBlockset(content).Id;

    public long AddMetadata(RecordedBlockset metadata)
    {
        var id = Id(FindMetadata, metadata.Hash, metadata.Length);
        return id >= 0 ? id : Id(InsertMetadata, AddBlockset(metadata));
    }

    public void AddEntry(long version, long prefix, RecordedFile file, long modified, long blockset, long metadata)
    {
        var id = Id(PlainSql.FindFile, prefix, file.Name, blockset, metadata);
        if (id < 0)
            id = Id(PlainSql.InsertFile, prefix, file.Name, blockset, metadata);
        Statements.Again(PlainSql.InsertEntry, version, id, modified);
    }

    public void AddSmall(RecordedBlockset content) => Statements.Again(AddLink, content.Hash, content.Length);

    public void AddBlock(RecordedBlock block, long volume)
    {
        if (Id(FindVolumeOfBlock, block.Hash, block.Size) < 0)
            Statements.Again(PlainSql.InsertBlock, block.Hash, block.Size, volume);
    }

    public void AddList(string list, IReadOnlyList<string> hashes)
    {
        if (Id(FindList, list) >= 0)
            return;
        for (var i = 0; i < hashes.Count; i++)
            Statements.Again(AddListEntry, list, hashes[i], (long)i);
    }

    /// <summary>Makes blocksets of what has come, whatever is missing.</summary>
    public void ExpandLists()
    {
        Statements.Execute(Expand, m_backup.BlockSize, m_backup.HashesInList, RecordedBackup.HashBytes);
        Statements.Execute(AddExpanded);
        Commit();
    }

    public void Resolve()
    {
        ExpandLists();
        for (var pass = 0; pass < 3; pass++)
        {
            var missing = Statements.Scalar(MissingLists, m_backup.HashesInList) + (pass > 0 ? Statements.Scalar(MissingBlocks) : 0);
            if (missing != 0)
                throw new InvalidOperationException("Volumes are missing after a recreate by plain statements.");
        }
    }

    public void Clean()
    {
        Statements.Execute(Cleanup);
        Commit();
    }

    public void Check() => Check(m_backup.HashesInList, lists: true);
}
