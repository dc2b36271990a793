// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Main.Recreate;

namespace Duplicati.UnitTest.Main.Plain;

/// <summary>
/// What a recreate asks for, on a <see cref="PlainLayer"/>, with staged data in temporary tables: slow, and easy to check by reading.
/// </summary>
internal sealed class PlainRebuild : IRebuild
{
    private readonly PlainLayer m_layer;
    private readonly HashSet<long> m_offered = [];

    internal PlainRebuild(string path)
    {
        m_layer = new PlainLayer(Databases.Open(path));
        Run(
            """
            CREATE TEMP TABLE StagedList (ListHash TEXT, BlockHash TEXT, Position INTEGER);
            CREATE TEMP TABLE StagedSmall (FileHash TEXT NOT NULL, BlockHash TEXT NOT NULL, BlockSize INTEGER NOT NULL, UNIQUE (FileHash, BlockSize), UNIQUE (BlockHash, BlockSize));
            """
        );
        CommitAsync();
    }

    public Task<long> AddBlocksetAsync(string fullHash, long size, IEnumerable<string> lists, long expected)
    {
        var id = Long("SELECT ID FROM Blockset WHERE FullHash = @0 AND Length = @1", fullHash, size);
        if (id >= 0)
            return Task.FromResult(id);

        id = Long("INSERT INTO Blockset (Length, FullHash) VALUES (@1, @0) RETURNING ID", fullHash, size);
        var index = 0;
        foreach (var hash in lists.Where(x => x.Length > 0).Take((int)expected))
            Run("""INSERT INTO BlocklistHash (BlocksetID, "Index", Hash) VALUES (@0, @1, @2)""", id, index++, hash);
        return Task.FromResult(id);
    }

    public async Task<long> AddMetadatasetAsync(string hash, long size, IEnumerable<string> lists, long expected)
    {
        if (hash is null)
            return -1;

        var id = Long(
            "SELECT m.ID FROM Metadataset m JOIN Blockset s ON s.ID = m.BlocksetID WHERE s.FullHash = @0 AND s.Length = @1",
            hash,
            size
        );
        if (id >= 0)
            return id;

        var blockset = await AddBlocksetAsync(hash, size, lists, expected);
        return Long("INSERT INTO Metadataset (BlocksetID, Content) VALUES (@0, NULL) RETURNING ID", blockset);
    }

    public Task AddEntryAsync(long fileset, long prefix, string path, DateTime time, long blockset, long metadata)
    {
        var id = Long(
            "SELECT ID FROM FileLookup WHERE PrefixID = @0 AND Path = @1 AND BlocksetID = @2 AND MetadataID = @3",
            prefix,
            path,
            blockset,
            metadata
        );
        if (id < 0)
            id = Long(
                "INSERT INTO FileLookup (PrefixID, Path, BlocksetID, MetadataID) VALUES (@0, @1, @2, @3) RETURNING ID",
                prefix,
                path,
                blockset,
                metadata
            );
        Run("INSERT INTO FilesetEntry (FilesetID, FileID, Lastmodified) VALUES (@0, @1, @2)", fileset, id, time.ToUniversalTime().Ticks);
        return Task.CompletedTask;
    }

    public Task AddLinkAsync(string? fileHash, string? blockHash, long size)
    {
        Run("INSERT OR IGNORE INTO StagedSmall (FileHash, BlockHash, BlockSize) VALUES (@0, @1, @2)", fileHash, blockHash, size);
        return Task.CompletedTask;
    }

    public Task<(bool, bool)> UpdateBlockAsync(string hash, long size, long volume)
    {
        var id = Long("SELECT ID FROM Block WHERE Hash = @0 AND Size = @1", hash, size);
        if (id < 0)
        {
            Run("INSERT INTO Block (Hash, Size, VolumeID) VALUES (@0, @1, @2)", hash, size, volume);
            return Task.FromResult((true, true));
        }

        var present = Long("SELECT VolumeID FROM Block WHERE ID = @0", id);
        if (present == -1)
        {
            Run("UPDATE Block SET VolumeID = @1 WHERE ID = @0", id, volume);
            return Task.FromResult((true, true));
        }

        if (present == volume)
            return Task.FromResult((false, false));

        Run("INSERT OR IGNORE INTO DuplicateBlock (BlockID, VolumeID) VALUES (@0, @1)", id, volume);
        return Task.FromResult((true, false));
    }

    public Task<bool> AddListAsync(string hash, IEnumerable<string> entries)
    {
        if (Long("SELECT 1 FROM StagedList WHERE ListHash = @0", hash) >= 0)
            return Task.FromResult(false);

        var position = 0;
        foreach (var entry in entries)
            Run("INSERT INTO StagedList (ListHash, BlockHash, Position) VALUES (@0, @1, @2)", hash, entry, position++);
        return Task.FromResult(true);
    }

    public Task<List<string>> ListsInAsync(long volume) =>
        Task.FromResult(Texts("SELECT DISTINCT l.Hash FROM BlocklistHash l JOIN Block b ON b.Hash = l.Hash WHERE b.VolumeID = @0", volume));

    public Task ResolveAsync(long hashBytes, long blockBytes)
    {
        Run(
            """
            CREATE TEMP TABLE Expanded AS
            SELECT DISTINCT l.BlocksetID AS BlocksetID, l."Index" * @0 + t.Position AS Position, t.BlockHash AS Hash, MIN(@2, s.Length - (l."Index" * @0 + t.Position) * @2) AS Size
            FROM BlocklistHash l JOIN Blockset s ON s.ID = l.BlocksetID JOIN StagedList t ON t.ListHash = l.Hash
            WHERE EXISTS (SELECT 1 FROM Block b WHERE b.Hash = l.Hash AND b.Size = MIN(@0 * @1, ((s.Length + @2 - 1) / @2 - l."Index" * @0) * @1))
            """.Replace("@0", "" + (blockBytes / hashBytes)).Replace("@1", "" + hashBytes).Replace("@2", "" + blockBytes)
        );
        Run(
            """
            INSERT INTO Block (Hash, Size, VolumeID)
            SELECT DISTINCT x.Hash, x.Size, -1 FROM (SELECT Hash, Size FROM Expanded UNION SELECT BlockHash, BlockSize FROM StagedSmall) x
            WHERE NOT EXISTS (SELECT 1 FROM Block b WHERE b.Hash = x.Hash AND b.Size = x.Size)
            """
        );
        Run(
            """
            INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID)
            SELECT DISTINCT x.BlocksetID, x.Position, b.ID FROM (
                SELECT BlocksetID, Position, Hash, Size FROM Expanded
                UNION SELECT s.ID, 0, m.BlockHash, m.BlockSize FROM StagedSmall m JOIN Blockset s ON s.FullHash = m.FileHash AND s.Length = m.BlockSize WHERE s.Length <= @0) x
            JOIN Block b ON b.Hash = x.Hash AND b.Size = x.Size
            WHERE NOT EXISTS (SELECT 1 FROM BlocksetEntry e WHERE e.BlocksetID = x.BlocksetID AND e."Index" = x.Position)
            """,
            blockBytes
        );
        Run("DROP TABLE Expanded");
        return CommitAsync();
    }

    public Task<List<string>> PassAsync(int pass, long blockBytes, long hashBytes, bool force)
    {
        const string missing =
            """SELECT l.Hash FROM BlocklistHash l WHERE NOT EXISTS (SELECT 1 FROM BlocksetEntry e WHERE e.BlocksetID = l.BlocksetID AND e."Index" = l."Index" * @0)""";
        if (pass == 0)
            m_offered.Clear();
        else if (
            !force
            && Long(
                $"SELECT COUNT(*) FROM (SELECT VolumeID FROM Block WHERE VolumeID < 0 AND Size > 0 UNION SELECT VolumeID FROM Block WHERE Hash IN ({missing}))",
                blockBytes / hashBytes
            ) == 0
        )
            return Task.FromResult(new List<string>());

        var sql = pass switch
        {
            0 =>
                $"SELECT DISTINCT v.ID, v.Name FROM Remotevolume v JOIN Block b ON b.VolumeID = v.ID WHERE b.Hash IN ({missing}) AND v.State <> 'Temporary' ORDER BY v.ID",
            1 =>
                "SELECT ID, Name FROM Remotevolume WHERE Type = 'Blocks' AND State <> 'Temporary' AND ID NOT IN (SELECT VolumeID FROM Block) ORDER BY ID",
            _ => "SELECT ID, Name FROM Remotevolume WHERE Type = 'Blocks' AND State <> 'Temporary' ORDER BY ID",
        };
        return Task.FromResult(Rows(sql, blockBytes / hashBytes).Where(x => m_offered.Add((long)x[0])).Select(x => (string)x[1]).ToList());
    }

    public Task CleanupMissingVolumesAsync()
    {
        foreach (
            var row in Rows(
                """
                SELECT b.ID, b.VolumeID, MIN(d.VolumeID) FROM Block b JOIN DuplicateBlock d ON d.BlockID = b.ID
                WHERE b.VolumeID IN (SELECT ID FROM Remotevolume WHERE State = 'Temporary') AND d.VolumeID IN (SELECT ID FROM Remotevolume WHERE State = 'Verified')
                GROUP BY b.ID, b.VolumeID
                """
            )
        )
        {
            Run("UPDATE Block SET VolumeID = @1 WHERE ID = @0", row[0], row[2]);
            Run("UPDATE DuplicateBlock SET VolumeID = @2 WHERE BlockID = @0 AND VolumeID = @1", row[0], row[2], row[1]);
        }

        const string gone =
            "SELECT ID FROM Remotevolume WHERE Type = 'Blocks' AND State = 'Temporary' AND ID NOT IN (SELECT VolumeID FROM Block)";
        Run(
            $"DELETE FROM IndexBlockLink WHERE BlockVolumeID IN ({gone}); DELETE FROM DuplicateBlock WHERE VolumeID IN ({gone}); DELETE FROM Remotevolume WHERE ID IN ({gone})"
        );
        return Task.CompletedTask;
    }

    public Task CleanupDeletedBlocksAsync()
    {
        const string unused = "ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND Hash NOT IN (SELECT Hash FROM BlocklistHash)";
        Run("DELETE FROM Block WHERE VolumeID NOT IN (SELECT ID FROM Remotevolume WHERE State <> 'Temporary')");
        Run(
            $"INSERT INTO DeletedBlock (Hash, Size, VolumeID) SELECT Hash, Size, VolumeID FROM Block WHERE {unused}; DELETE FROM Block WHERE {unused}"
        );
        Run("DELETE FROM DuplicateBlock WHERE BlockID NOT IN (SELECT ID FROM Block)");
        return CommitAsync();
    }

    public Task CommitAsync()
    {
        m_layer.Commit();
        return Task.CompletedTask;
    }

    public Task RollBackAsync()
    {
        m_layer.RollBack();
        return Task.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        await CommitAsync();
        m_layer.Dispose();
    }

    private void Run(string sql, params object?[] values) => m_layer.Run(sql, values);

    private long Long(string sql, params object?[] values) => m_layer.Number(sql, values);

    private List<string> Texts(string sql, params object?[] values) => Rows(sql, values).ConvertAll(x => (string)x[0]);

    private List<object[]> Rows(string sql, params object?[] values)
    {
        using var command = m_layer.Command(sql, values);
        using var reader = command.ExecuteReader();
        var result = new List<object[]>();
        while (reader.Read())
        {
            var row = new object[reader.FieldCount];
            reader.GetValues(row);
            result.Add(row);
        }

        return result;
    }
}
