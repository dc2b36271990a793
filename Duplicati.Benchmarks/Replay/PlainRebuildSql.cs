// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Replay;

/// <summary>A rebuild as its definition reads, and what it must come to.</summary>
internal static class PlainRebuildSql
{
    // Tables like those of the reference: text, with their indexes, in memory by temp_store.
    internal const string Stage = """
        CREATE TEMP TABLE StagedList (ListHash TEXT, BlockHash TEXT, Position INTEGER);
        CREATE INDEX temp.StagedListHash ON StagedList (ListHash);
        CREATE TEMP TABLE StagedSmall (FileHash TEXT NOT NULL, BlockHash TEXT NOT NULL, BlockSize INTEGER NOT NULL);
        CREATE UNIQUE INDEX temp.StagedSmallFile ON StagedSmall (FileHash, BlockSize);
        CREATE UNIQUE INDEX temp.StagedSmallBlock ON StagedSmall (BlockHash, BlockSize)
        """;

    internal const string AddBlocklistHash = """INSERT INTO BlocklistHash (BlocksetID, "Index", Hash) VALUES (@p0, @p1, @p2)""";

    internal const string AddMetadata = "INSERT INTO Metadataset (BlocksetID) VALUES (@p0) RETURNING ID";

    internal const string AddLink = "INSERT OR IGNORE INTO StagedSmall (FileHash, BlockHash, BlockSize) VALUES (@p0, @p0, @p1)";

    // BlockHashSize.
    internal const string FindBlock = "SELECT VolumeID FROM Block WHERE Hash = @p0 AND Size = @p1";

    // The index on ListHash.
    internal const string FindList = "SELECT 1 FROM StagedList WHERE ListHash = @p0 LIMIT 1";

    internal const string AddListEntry = "INSERT INTO StagedList (ListHash, BlockHash, Position) VALUES (@p0, @p1, @p2)";

    internal const string Cleanup = """
        DELETE FROM Block WHERE VolumeID NOT IN (SELECT ID FROM Remotevolume WHERE State <> 'Temporary');
        INSERT INTO DeletedBlock (Hash, Size, VolumeID) SELECT Hash, Size, VolumeID FROM Block
            WHERE ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND Hash NOT IN (SELECT Hash FROM BlocklistHash);
        DELETE FROM Block WHERE ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND Hash NOT IN (SELECT Hash FROM BlocklistHash)
        """;
}
