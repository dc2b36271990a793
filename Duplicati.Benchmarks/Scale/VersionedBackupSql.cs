// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Scale;

/// <summary>Fills a database. A name between dollar signs stands for a number, because these are not queries but a generator.</summary>
internal static class VersionedBackupSql
{
    internal const string Begin = "BEGIN";

    internal const string Commit = "COMMIT";

    /// <summary>A database that is made anew when something goes wrong.</summary>
    internal const string MakeFast = """
        PRAGMA journal_mode=OFF;
        PRAGMA synchronous=OFF;
        PRAGMA temp_store=FILE;
        PRAGMA cache_size=-524288
        """;

    /// <summary>A file without a log can be copied as it is.</summary>
    internal const string LeaveNoLog = "PRAGMA journal_mode=DELETE";

    /// <summary>The schema, as it stands in the database.</summary>
    internal const string EntryIndexes =
        """SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'FilesetEntry' AND sql IS NOT NULL""";

    internal const string DropEntryIndexes = """
        DROP INDEX FilesetentryFileIdIndex;
        DROP INDEX nn_FilesetentryFile
        """;

    /// <summary>An index volume that describes nothing: a repair finds it.</summary>
    internal const string EmptyIndexVolume = """
        INSERT INTO Remotevolume (OperationID, Name, Type, Size, Hash, State, VerificationCount,
            DeleteGraceTime, ArchiveTime, LockExpirationTime)
        VALUES (1, 'duplicati-i1.dindex.zip', 'Index', 1000, 'hash', 'Verified', 0, 0, 0, 0)
        """;

    internal const string InsertBlock = """INSERT INTO Block (Hash, Size, VolumeID) VALUES (?1, ?2, ?3)""";

    internal const string InsertDeletedBlock = """INSERT INTO DeletedBlock (Hash, Size, VolumeID) VALUES (?1, ?2, ?3)""";

    internal const string Analyze = "ANALYZE";

    internal static readonly string[] Fill =
    [
        """INSERT INTO Operation (Description, Timestamp) VALUES ('Backup', $firstTime$)""",
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < ($live$ + 999) / 1000 + 1)
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, Size, Hash, State, VerificationCount,
                DeleteGraceTime, ArchiveTime, LockExpirationTime)
            SELECT I, 1, 'duplicati-b' || I || '.dblock.zip', 'Blocks', 1000000, 'hash', 'Verified', 0, 0, 0, 0 FROM N
            """,
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < $versions$)
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, Size, Hash, State, VerificationCount,
                DeleteGraceTime, ArchiveTime, LockExpirationTime)
            SELECT $apart$ + I, 1, 'duplicati-' || I || '.dlist.zip', 'Files', 10000, 'hash', 'Verified', 0, 0, 0, 0 FROM N
            """,
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < $versions$)
            INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp)
            SELECT I, 1, $apart$ + I, 1, $firstTime$ + (I - 1) * $day$ FROM N
            """,
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < $files$)
            INSERT INTO Blockset (ID, Length, FullHash) SELECT I, $perFile$ * $blockBytes$, 'file ' || I FROM N
            """,
        """
            INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID)
            SELECT 1 + (ID - 1) / $perFile$, (ID - 1) % $perFile$, ID FROM Block WHERE ID <= $blocks$
            """,
        """
            INSERT INTO BlocklistHash (BlocksetID, "Index", Hash)
            SELECT 1 + (ID - $blocks$ - 1) / $listsPerFile$, (ID - $blocks$ - 1) % $listsPerFile$, Hash FROM Block
            WHERE ID > $blocks$ AND ID <= $blocks$ + $lists$
            """,
        """
            INSERT INTO Blockset (ID, Length, FullHash)
            SELECT ID + $apart$, $blockBytes$, 'metadata ' || ID FROM Block WHERE ID > $blocks$ + $lists$
            """,
        """
            INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID)
            SELECT ID + $apart$, 0, ID FROM Block WHERE ID > $blocks$ + $lists$
            """,
        """
            INSERT INTO Metadataset (ID, BlocksetID)
            SELECT ID - $blocks$ - $lists$, ID + $apart$ FROM Block WHERE ID > $blocks$ + $lists$
            """,
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < $folders$)
            INSERT INTO PathPrefix (ID, Prefix) SELECT I, '/source/folder ' || I || '/' FROM N
            """,
        """INSERT INTO PathPrefix (ID, Prefix) VALUES ($folders$ + 1, '/source/')""",
        """
            INSERT INTO FileLookup (ID, PrefixID, Path, BlocksetID, MetadataID)
            SELECT ID, 1 + (ID - 1) % $filesPerVersion$ % $folders$, 'file ' || ((ID - 1) % $filesPerVersion$), ID,
                1 + ID % $metadata$
            FROM Blockset WHERE ID <= $files$
            """,
        """
            INSERT INTO FileLookup (ID, PrefixID, Path, BlocksetID, MetadataID)
            SELECT $apart$ + ID, $folders$ + 1, 'folder ' || ID || '/', -100, 1 + ID % $metadata$ FROM PathPrefix
            WHERE ID <= $folders$
            """,
        """
            INSERT INTO FilesetEntry (FilesetID, FileID, Lastmodified)
            SELECT S.ID, F.ID, 637000000000000000 FROM Fileset AS S JOIN FileLookup AS F
            ON F.ID BETWEEN 1 + (S.ID - 1) * $changed$ AND $filesPerVersion$ + (S.ID - 1) * $changed$
            """,
        """
            INSERT INTO FilesetEntry (FilesetID, FileID, Lastmodified)
            SELECT S.ID, F.ID, 0 FROM Fileset AS S JOIN FileLookup AS F ON F.ID > $apart$
            """,
    ];
}
