// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Scale;

/// <summary>A rebuild as its definition reads, and what it must come to.</summary>
internal static class PlainRebuildSql
{
    internal const string Begin = "BEGIN";

    internal const string Commit = "COMMIT";

    // Tables like those of the reference: text, with their indexes, in memory by temp_store.
    internal const string Stage = """
        CREATE TEMP TABLE StagedList (ListHash TEXT, BlockHash TEXT, Position INTEGER);
        CREATE INDEX temp.StagedListHash ON StagedList (ListHash);
        CREATE TEMP TABLE StagedSmall (FileHash TEXT NOT NULL, BlockHash TEXT NOT NULL, BlockSize INTEGER NOT NULL);
        CREATE UNIQUE INDEX temp.StagedSmallFile ON StagedSmall (FileHash, BlockSize);
        CREATE UNIQUE INDEX temp.StagedSmallBlock ON StagedSmall (BlockHash, BlockSize)
        """;

    internal const string AddVolume = """INSERT INTO Remotevolume VALUES (@p0, 1, @p1, 'Blocks', 1000, NULL, 'Verified', 0, 0, 0, 0)""";

    // BlocksetFullHash.
    internal const string FindBlockset = "SELECT ID FROM Blockset WHERE FullHash = @p0 AND Length = @p1";

    internal const string AddBlockset = "INSERT INTO Blockset (FullHash, Length) VALUES (@p0, @p1) RETURNING ID";

    internal const string AddBlocklistHash = """INSERT INTO BlocklistHash (BlocksetID, "Index", Hash) VALUES (@p0, @p1, @p2)""";

    internal const string AddMetadata = "INSERT INTO Metadataset (BlocksetID) VALUES (@p0) RETURNING ID";

    // FileLookupPath.
    internal const string FindFile =
        "SELECT ID FROM FileLookup WHERE PrefixID = 1 AND Path = @p0 AND BlocksetID = @p1 AND MetadataID = @p2";

    internal const string AddFile =
        "INSERT INTO FileLookup (PrefixID, Path, BlocksetID, MetadataID) VALUES (1, @p0, @p1, @p2) RETURNING ID";

    internal const string AddEntry = "INSERT INTO FilesetEntry (FilesetID, FileID, Lastmodified) VALUES (1, @p0, 0)";

    internal const string AddLink = "INSERT OR IGNORE INTO StagedSmall (FileHash, BlockHash, BlockSize) VALUES (@p0, @p0, @p1)";

    // BlockHashSize.
    internal const string FindBlock = "SELECT VolumeID FROM Block WHERE Hash = @p0 AND Size = @p1";

    internal const string AddBlock = "INSERT INTO Block (Hash, Size, VolumeID) VALUES (@p0, @p1, @p2)";

    // The index on ListHash.
    internal const string FindList = "SELECT 1 FROM StagedList WHERE ListHash = @p0 LIMIT 1";

    internal const string AddListEntry = "INSERT INTO StagedList (ListHash, BlockHash, Position) VALUES (@p0, @p1, @p2)";

    // Set-based and without the term that is quadratic in a file's blocklists: the reference at its best.
    internal const string Resolve = """
        CREATE TEMP TABLE Expanded AS
        SELECT DISTINCT l.BlocksetID AS BlocksetID, l."Index" * 32 + t.Position AS Position, t.BlockHash AS Hash,
            MIN(1024, s.Length - (l."Index" * 32 + t.Position) * 1024) AS Size
        FROM BlocklistHash l CROSS JOIN Blockset s ON s.ID = l.BlocksetID CROSS JOIN StagedList t ON t.ListHash = l.Hash
        WHERE EXISTS (SELECT 1 FROM Block b WHERE b.Hash = l.Hash AND b.Size = MIN(1024, ((s.Length + 1023) / 1024 - l."Index" * 32) * 32));
        INSERT INTO Block (Hash, Size, VolumeID)
        SELECT DISTINCT x.Hash, x.Size, -1 FROM (SELECT Hash, Size FROM Expanded UNION SELECT BlockHash, BlockSize FROM StagedSmall) x
        WHERE NOT EXISTS (SELECT 1 FROM Block b WHERE b.Hash = x.Hash AND b.Size = x.Size);
        INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID)
        SELECT x.BlocksetID, x.Position, b.ID FROM (
            SELECT BlocksetID, Position, Hash, Size FROM Expanded
            UNION SELECT s.ID, 0, m.BlockHash, m.BlockSize FROM StagedSmall m
            CROSS JOIN Blockset s ON s.FullHash = m.FileHash AND s.Length = m.BlockSize) x
        CROSS JOIN Block b ON b.Hash = x.Hash AND b.Size = x.Size
        WHERE NOT EXISTS (SELECT 1 FROM BlocksetEntry e WHERE e.BlocksetID = x.BlocksetID AND e."Index" = x.Position);
        DROP TABLE Expanded
        """;

    internal const string Cleanup = """
        DELETE FROM Block WHERE VolumeID NOT IN (SELECT ID FROM Remotevolume WHERE State <> 'Temporary');
        INSERT INTO DeletedBlock (Hash, Size, VolumeID) SELECT Hash, Size, VolumeID FROM Block
            WHERE ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND Hash NOT IN (SELECT Hash FROM BlocklistHash);
        DELETE FROM Block WHERE ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND Hash NOT IN (SELECT Hash FROM BlocklistHash)
        """;
}
