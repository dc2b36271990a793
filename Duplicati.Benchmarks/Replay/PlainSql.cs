// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Replay;

/// <summary>The operations as their definition reads, statement by statement, with the indexes that the schema has.</summary>
internal static class PlainSql
{
    internal const string Begin = "BEGIN";

    internal const string Commit = "COMMIT";

    internal const string Rollback = "ROLLBACK";

    internal const string VolumeUse = """
        CREATE TEMP TABLE Use AS
        SELECT A.VolumeID, A.Active, IFNULL(W.Wasted, 0) AS Wasted, IFNULL(B.Time, 0) AS Time FROM
        (SELECT VolumeID, SUM(Size) AS Active FROM Block AS L
            WHERE NOT EXISTS (SELECT 1 FROM DeletedBlock AS D WHERE D.Hash = L.Hash AND D.Size = L.Size
                AND D.VolumeID = L.VolumeID) GROUP BY VolumeID
         UNION ALL
         SELECT ID, 0 FROM Remotevolume WHERE Type = 'Blocks' AND State IN ('Uploaded', 'Verified') AND ID NOT IN (SELECT VolumeID
             FROM Block)) AS A
        LEFT JOIN (SELECT VolumeID, SUM(Size) AS Wasted FROM DeletedBlock GROUP BY VolumeID) AS W ON W.VolumeID = A.VolumeID
        LEFT JOIN (SELECT VolumeID, MIN(Time) AS Time FROM (
            SELECT B.VolumeID, S.Timestamp AS Time FROM Fileset AS S JOIN FilesetEntry AS E ON E.FilesetID = S.ID
                JOIN FileLookup AS F ON F.ID = E.FileID
            JOIN BlocksetEntry AS X ON X.BlocksetID = F.BlocksetID JOIN Block AS B ON B.ID = X.BlockID
            UNION
            SELECT B.VolumeID, S.Timestamp AS Time FROM Fileset AS S JOIN FilesetEntry AS E ON E.FilesetID = S.ID
                JOIN FileLookup AS F ON F.ID = E.FileID
            JOIN Metadataset AS M ON M.ID = F.MetadataID JOIN BlocksetEntry AS X ON X.BlocksetID = M.BlocksetID
                JOIN Block AS B ON B.ID = X.BlockID)
            GROUP BY VolumeID) AS B ON B.VolumeID = A.VolumeID
        """;

    /// <summary>What <see cref="VolumeUse"/> has found, with the sizes of volumes.</summary>
    internal const string Volumes = """
        SELECT V.Name, U.Active, U.Wasted, IFNULL(V.Size, 0) FROM Use AS U JOIN Remotevolume AS V ON V.ID = U.VolumeID ORDER BY U.Time
        """;

    internal const string DeleteFileset = """DELETE FROM Fileset WHERE Timestamp = @p0""";

    /// <summary>In the order in which rows lose what refers to them.</summary>
    internal static readonly string[] DeleteCascade =
    [
        """DELETE FROM FilesetEntry WHERE FilesetID NOT IN (SELECT ID FROM Fileset)""",
        """DELETE FROM ChangeJournalData WHERE FilesetID NOT IN (SELECT ID FROM Fileset)""",
        """DELETE FROM FileLookup WHERE ID NOT IN (SELECT FileID FROM FilesetEntry)""",
        """DELETE FROM Metadataset WHERE ID NOT IN (SELECT MetadataID FROM FileLookup)""",
        """DELETE FROM Blockset WHERE ID NOT IN (SELECT BlocksetID FROM FileLookup UNION SELECT BlocksetID FROM Metadataset)""",
        """DELETE FROM BlocksetEntry WHERE BlocksetID NOT IN (SELECT ID FROM Blockset)""",
        """DELETE FROM BlocklistHash WHERE BlocksetID NOT IN (SELECT ID FROM Blockset)""",
        $"""INSERT INTO DeletedBlock (Hash, Size, VolumeID) SELECT Hash, Size, VolumeID FROM Block {Unused}""",
        $"""DELETE FROM Block {Unused}""",
        """
            UPDATE Remotevolume SET State = 'Deleting' WHERE Type = 'Files' AND State IN ('Uploaded', 'Verified', 'Temporary', 'Deleting')
                AND ID NOT IN (SELECT VolumeID FROM Fileset)
            """,
    ];

    private const string Unused = """
        WHERE ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND Hash NOT IN (SELECT Hash FROM BlocklistHash)
        """;

    internal const string DeletingLists = """SELECT Name, IFNULL(Size, -1) FROM Remotevolume WHERE Type = 'Files' AND State = 'Deleting'""";

    internal const string ChangeTables = """
        CREATE TEMP TABLE "Before" (Path TEXT NOT NULL, Hash TEXT NULL, Metahash TEXT NOT NULL, Size INTEGER NOT NULL,
            Type INTEGER NOT NULL);
        CREATE TEMP TABLE "After" (Path TEXT NOT NULL, Hash TEXT NULL, Metahash TEXT NOT NULL, Size INTEGER NOT NULL, Type INTEGER NOT NULL)
        """;

    /// <summary>Folders, symbolic links and files of an older version.</summary>
    internal static readonly string[] FillBefore = Fill("Before");

    /// <summary>Folders, symbolic links and files of a newer version.</summary>
    internal static readonly string[] FillAfter = Fill("After");

    /// <summary>Elements of a type that were added, deleted and modified.</summary>
    internal static readonly string[] ChangeCounts =
    [
        $"SELECT COUNT(*) {Added}",
        $"SELECT COUNT(*) {Deleted}",
        $"SELECT COUNT(*) {Modified}",
    ];

    /// <summary>Paths of a type that were added, deleted and modified.</summary>
    internal static readonly string[] ChangedPaths = [$"SELECT Path {Added}", $"SELECT Path {Deleted}", $"SELECT A.Path {Modified}"];

    internal static readonly string[] ChangeTotals = ["""SELECT SUM(Size) FROM "Before" """, """SELECT SUM(Size) FROM "After" """];

    internal static readonly string[] ChangedSizes =
    [
        """SELECT SUM(Size) FROM "After" WHERE Path NOT IN (SELECT Path FROM "Before")""",
        """SELECT SUM(Size) FROM "Before" WHERE Path NOT IN (SELECT Path FROM "After")""",
    ];

    private const string Added = """FROM "After" WHERE Type = @p0 AND Path NOT IN (SELECT Path FROM "Before")""";

    private const string Deleted = """FROM "Before" WHERE Type = @p0 AND Path NOT IN (SELECT Path FROM "After")""";

    private const string Modified = """
        FROM "After" AS A JOIN "Before" AS B ON B.Path = A.Path
        WHERE A.Type = @p0 AND ((A.Hash IS NOT NULL AND B.Hash IS NOT NULL AND A.Hash <> B.Hash) OR A.Metahash <> B.Metahash
            OR A.Type <> B.Type)
        """;

    private const string ChangeSource = """
        FROM FilesetEntry AS E JOIN File AS F ON F.ID = E.FileID JOIN Metadataset AS M ON M.ID = F.MetadataID
            JOIN Blockset AS N ON N.ID = M.BlocksetID
        """;

    private static string[] Fill(string table) =>
        [
            $"""INSERT INTO "{table}" SELECT F.Path, NULL, N.FullHash, -1, 0 {ChangeSource} WHERE E.FilesetID = @p0 AND F.BlocksetID = -100""",
            $"""INSERT INTO "{table}" SELECT F.Path, NULL, N.FullHash, -1, 1 {ChangeSource} WHERE E.FilesetID = @p0 AND F.BlocksetID = -200""",
            $"""
                INSERT INTO "{table}" SELECT F.Path, S.FullHash, N.FullHash, S.Length, 2 {ChangeSource}
                    JOIN Blockset AS S ON S.ID = F.BlocksetID WHERE E.FilesetID = @p0 AND F.BlocksetID >= 0
                """,
        ];

    /// <summary>Each counts faults.</summary>
    internal static readonly string[] Checks =
    [
        """
            SELECT COUNT(*) FROM Blockset AS S LEFT JOIN
            (SELECT E.BlocksetID, SUM(K.Size) AS Size FROM BlocksetEntry AS E JOIN Block AS K ON K.ID = E.BlockID
                GROUP BY E.BlocksetID) AS B ON B.BlocksetID = S.ID
            WHERE S.ID IN (SELECT BlocksetID FROM File) AND S.Length <> IFNULL(B.Size, 0)
            """,
        """SELECT (SELECT COUNT(*) FROM BlocklistHash) - (SELECT COUNT(*) FROM (SELECT DISTINCT BlocksetID, "Index" FROM BlocklistHash))""",
        """
            SELECT COUNT(*) FROM (SELECT BlocksetID, COUNT(*) AS N FROM BlocksetEntry GROUP BY BlocksetID) AS C
            LEFT JOIN (SELECT BlocksetID, COUNT(*) AS N FROM BlocklistHash GROUP BY BlocksetID) AS H ON H.BlocksetID = C.BlocksetID
            WHERE C.N > 1 AND IFNULL(H.N, 0) <> (C.N + @p0 - 1) / @p0
            """,
        """SELECT COUNT(*) FROM Blockset WHERE Length > 0 AND ID NOT IN (SELECT BlocksetID FROM BlocksetEntry)""",
        """SELECT COUNT(*) FROM FileLookup WHERE BlocksetID NOT IN (-100, -200) AND BlocksetID NOT IN (SELECT ID FROM Blockset)""",
        """SELECT COUNT(*) FROM Fileset WHERE VolumeID NOT IN (SELECT ID FROM Remotevolume WHERE Type = 'Files' AND State <> 'Deleted')""",
        """
            SELECT COUNT(*) FROM Remotevolume WHERE Type = 'Files' AND State NOT IN ('Deleted', 'Deleting')
                AND ID NOT IN (SELECT VolumeID FROM Fileset)
            """,
        """SELECT COUNT(*) FROM FilesetEntry WHERE FileID NOT IN (SELECT ID FROM FileLookup)""",
    ];

    internal const string Filesets = """SELECT ID FROM Fileset""";

    internal const string CountEntries = """SELECT COUNT(*) FROM FilesetEntry WHERE FilesetID = @p0""";

    /// <summary>The distinct paths of both lists together.</summary>
    internal const string CountListed = $"""
        SELECT COUNT(*) FROM (SELECT Path FROM ({ListedFiles}) UNION SELECT Path FROM ({ListedFolders}))
        """;

    private const string ListColumns = """
        F.Path AS Path, F.BlocksetID, E.Lastmodified, D.FullHash, D.Length, K.Hash, K.Size, N.ID, N.FullHash, N.Length, Q.Hash
        """;

    private const string ListTables = """
        FilesetEntry AS E JOIN File AS F ON F.ID = E.FileID
        LEFT JOIN Blockset AS D ON D.ID = F.BlocksetID
        LEFT JOIN BlocksetEntry AS X ON X.BlocksetID = D.ID AND X."Index" = 0 LEFT JOIN Block AS K ON K.ID = X.BlockID
        LEFT JOIN Metadataset AS M ON M.ID = F.MetadataID LEFT JOIN Blockset AS N ON N.ID = M.BlocksetID
        LEFT JOIN BlocksetEntry AS Y ON Y.BlocksetID = N.ID AND Y."Index" = 0 LEFT JOIN Block AS Q ON Q.ID = Y.BlockID
        LEFT JOIN BlocklistHash AS O ON O.BlocksetID = N.ID
        """;

    // A row for each entry, blocklist and metadata blocklist.
    private const string ListedFiles = $"""
        SELECT {ListColumns}, L.Hash, O.Hash FROM {ListTables} LEFT JOIN BlocklistHash AS L ON L.BlocksetID = D.ID
            WHERE E.FilesetID = @p0 AND F.BlocksetID >= 0
        """;

    private const string ListedFolders = $"""
        SELECT {ListColumns}, O.Hash FROM {ListTables} WHERE E.FilesetID = @p0 AND F.BlocksetID IN (-100, -200) AND Q.ID IS NOT NULL
        """;

    /// <summary>Two lists with the indexes that their readers need.</summary>
    internal static readonly string[] RestoreLists =
    [
        """
            CREATE TEMP TABLE RestoreFile (ID INTEGER PRIMARY KEY, Path TEXT NOT NULL, BlocksetID INTEGER NOT NULL,
                MetadataID INTEGER NOT NULL, TargetPath TEXT NULL)
            """,
        """
            INSERT INTO RestoreFile (ID, Path, BlocksetID, MetadataID) SELECT F.ID, F.Path, F.BlocksetID, F.MetadataID
                FROM FilesetEntry AS E JOIN File AS F ON F.ID = E.FileID
            WHERE E.FilesetID = (SELECT ID FROM Fileset ORDER BY Timestamp DESC LIMIT 1)
            """,
        """
            CREATE INDEX temp.RestoreFileID ON RestoreFile (ID); CREATE INDEX temp.RestoreFileTarget
                ON RestoreFile (TargetPath); CREATE INDEX temp.RestoreFilePath
                ON RestoreFile (Path); CREATE INDEX temp.RestoreFileBlockset
                ON RestoreFile (BlocksetID); CREATE INDEX temp.RestoreFileMetadata ON RestoreFile (MetadataID)
            """,
        """UPDATE RestoreFile SET TargetPath = '/target/' || SUBSTR(Path, 9)""",
        """
            CREATE TEMP TABLE RestoreBlock (ID INTEGER PRIMARY KEY, FileID INTEGER NOT NULL, "Index" INTEGER NOT NULL, Hash TEXT NOT NULL,
                Size INTEGER NOT NULL,
            Restored BOOLEAN NOT NULL, Metadata BOOLEAN NOT NULL, VolumeID INTEGER NOT NULL, BlockID INTEGER NOT NULL)
            """,
        """
            INSERT INTO RestoreBlock (FileID, "Index", Hash, Size, Restored, Metadata, VolumeID, BlockID)
            SELECT DISTINCT F.ID, E."Index", B.Hash, B.Size, 0, 0, B.VolumeID, B.ID FROM RestoreFile AS F
                JOIN BlocksetEntry AS E ON E.BlocksetID = F.BlocksetID JOIN Block AS B ON B.ID = E.BlockID
            """,
        """
            INSERT INTO RestoreBlock (FileID, "Index", Hash, Size, Restored, Metadata, VolumeID, BlockID)
            SELECT DISTINCT F.ID, E."Index", B.Hash, B.Size, 0, 1, B.VolumeID, B.ID FROM RestoreFile AS F
                JOIN Metadataset AS M ON M.ID = F.MetadataID
            JOIN BlocksetEntry AS E ON E.BlocksetID = M.BlocksetID JOIN Block AS B ON B.ID = E.BlockID
            """,
        """
            CREATE INDEX temp.RestoreBlockHash ON RestoreBlock (Hash, Size); CREATE INDEX temp.RestoreBlockFile ON RestoreBlock (FileID,
                "Index")
            """,
    ];

    internal const string CountRestoredFiles = """
        SELECT COUNT(DISTINCT F.Path), SUM(S.Length) FROM RestoreFile AS F JOIN Blockset AS S ON S.ID = F.BlocksetID
        """;

    internal const string SumRestoredBlocks = """SELECT SUM(Size) FROM RestoreBlock""";

    /// <summary>Each entry of each file and of its metadata, without taking equal ones together.</summary>
    internal const string RestoreNeeds = """
        SELECT B.ID, B.VolumeID FROM RestoreFile AS F JOIN BlocksetEntry AS E ON E.BlocksetID = F.BlocksetID
            JOIN Block AS B ON B.ID = E.BlockID
        UNION ALL
        SELECT B.ID, B.VolumeID FROM RestoreFile AS F JOIN Metadataset AS M ON M.ID = F.MetadataID
            JOIN BlocksetEntry AS E ON E.BlocksetID = M.BlocksetID JOIN Block AS B ON B.ID = E.BlockID
        """;

    /// <summary>All versions with their entries and bytes, newest first; every entry with its row ids.</summary>
    internal const string Versions = """
        SELECT S.ID, S.Timestamp, S.IsFullBackup, COUNT(E.FileID), IFNULL(SUM(B.Length), 0)
        FROM Fileset AS S LEFT JOIN FilesetEntry AS E ON E.FilesetID = S.ID LEFT JOIN FileLookup AS F ON F.ID = E.FileID LEFT
            JOIN Blockset AS B ON B.ID = F.BlocksetID
        GROUP BY S.ID ORDER BY S.Timestamp DESC
        """;

    /// <summary>What is directly in a folder in one version; FileLookupPath.</summary>
    internal const string Folder = """
        SELECT F.ID, P.Prefix || F.Path, F.BlocksetID, IFNULL(B.Length, -1), E.Lastmodified
        FROM FilesetEntry AS E JOIN FileLookup AS F ON F.ID = E.FileID JOIN PathPrefix AS P ON P.ID = F.PrefixID LEFT
            JOIN Blockset AS B ON B.ID = F.BlocksetID
        WHERE E.FilesetID = @p0 AND F.PrefixID = @p1 ORDER BY P.Prefix, F.Path
        """;

    /// <summary>A file by its name in all versions, oldest first; FileLookupPath, FilesetentryFileIdIndex.</summary>
    internal const string FileVersions = $"""
        SELECT {Found} {EntriesOfFiles} WHERE F.Path = @p0 ORDER BY F.Path, S.Timestamp
        """;

    /// <summary>The entries of all versions whose full path fits a pattern; every path is tested.</summary>
    internal const string Find = $"""
        SELECT {Found}, P.Prefix {EntriesOfFiles} JOIN PathPrefix AS P ON P.ID = F.PrefixID WHERE P.Prefix || F.Path GLOB @p0
            ORDER BY P.Prefix, F.Path, S.Timestamp
        """;

    private const string Found = """
        F.ID, F.Path, F.BlocksetID, IFNULL(B.Length, 0), E.Lastmodified, S.Timestamp
        """;

    private const string EntriesOfFiles = """
        FROM FilesetEntry AS E JOIN FileLookup AS F ON F.ID = E.FileID JOIN Fileset AS S ON S.ID = E.FilesetID LEFT
            JOIN Blockset AS B ON B.ID = F.BlocksetID
        """;

    internal const string InsertVolume = """
        INSERT INTO Remotevolume (OperationID, Name, Type, Size, Hash, State, VerificationCount, DeleteGraceTime, ArchiveTime,
            LockExpirationTime)
        VALUES (1, @p0, @p1, -1, NULL, 'Temporary', 0, 0, 0, 0) RETURNING ID
        """;

    internal const string InsertFileset = """
        INSERT INTO Fileset (OperationID, Timestamp, VolumeID, IsFullBackup) VALUES (1, @p0, @p1, 0) RETURNING ID
        """;

    /// <summary>By id.</summary>
    internal const string SetFull = """UPDATE Fileset SET IsFullBackup = 1 WHERE ID = @p0""";

    /// <summary>A file of an earlier version; FileLookupPath, key of FilesetEntry, row ids.</summary>
    internal const string FindEntry = """
        SELECT F.ID, E.Lastmodified, D.Length, N.FullHash, N.Length
        FROM FileLookup AS F JOIN FilesetEntry AS E ON E.FileID = F.ID JOIN Blockset AS D ON D.ID = F.BlocksetID
        JOIN Metadataset AS M ON M.ID = F.MetadataID JOIN Blockset AS N ON N.ID = M.BlocksetID
        WHERE F.PrefixID = @p0 AND F.Path = @p1 AND E.FilesetID = @p2
        """;

    internal const string InsertEntry = """INSERT INTO FilesetEntry (FilesetID, FileID, Lastmodified) VALUES (@p0, @p1, @p2)""";

    /// <summary>FileLookupPath.</summary>
    internal const string FindFile = """
        SELECT ID FROM FileLookup WHERE PrefixID = @p0 AND Path = @p1 AND BlocksetID = @p2 AND MetadataID = @p3
        """;

    internal const string InsertFile = """
        INSERT INTO FileLookup (PrefixID, Path, BlocksetID, MetadataID) VALUES (@p0, @p1, @p2, @p3) RETURNING ID
        """;

    /// <summary>BlockHashSize.</summary>
    internal const string FindBlock = """SELECT ID FROM Block WHERE Hash = @p0 AND Size = @p1""";

    internal const string InsertBlock = """INSERT INTO Block (Hash, Size, VolumeID) VALUES (@p0, @p1, @p2)""";

    /// <summary>BlocksetFullHash.</summary>
    internal const string FindBlockset = """SELECT ID FROM Blockset WHERE FullHash = @p0 AND Length = @p1""";

    internal const string InsertBlockset = """INSERT INTO Blockset (Length, FullHash) VALUES (@p1, @p0) RETURNING ID""";
}
