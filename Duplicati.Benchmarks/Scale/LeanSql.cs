// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Scale;

/// <summary>Cleverer statements with the same answers: what somebody would write who knows the data and looks at the plan.</summary>
internal static class LeanSql
{
    /// <summary>Counts the versions whose list would differ, by the paths alone.</summary>
    internal const string DifferentLists = """
        SELECT COUNT(*) FROM Fileset AS V WHERE (SELECT COUNT(*) FROM FilesetEntry WHERE FilesetID = V.ID) <>
        (SELECT COUNT(*) FROM (SELECT DISTINCT Path FROM (
            SELECT F.Path FROM FilesetEntry AS E JOIN File AS F ON F.ID = E.FileID WHERE E.FilesetID = V.ID AND F.BlocksetID >= 0
            UNION
            SELECT F.Path FROM FilesetEntry AS E JOIN File AS F ON F.ID = E.FileID JOIN Metadataset AS M ON M.ID = F.MetadataID
            JOIN BlocksetEntry AS X ON X.BlocksetID = M.BlocksetID AND X."Index" = 0 JOIN Block AS B ON B.ID = X.BlockID
            WHERE E.FilesetID = V.ID AND F.BlocksetID IN (-100, -200))))
        """;

    /// <summary>The age of a volume from the oldest version of each file and metadata, instead of from every entry.</summary>
    internal const string VolumeUse = """
        CREATE TEMP TABLE Use AS
        WITH Age(FileID, Time) AS (SELECT E.FileID, MIN(S.Timestamp) FROM FilesetEntry AS E
            JOIN Fileset AS S ON S.ID = E.FilesetID GROUP BY E.FileID)
        SELECT A.VolumeID, A.Active, IFNULL(W.Wasted, 0) AS Wasted, IFNULL(T.Time, 0) AS Time FROM
        (SELECT VolumeID, SUM(Size) AS Active FROM Block GROUP BY VolumeID) AS A
        LEFT JOIN (SELECT VolumeID, SUM(Size) AS Wasted FROM DeletedBlock GROUP BY VolumeID) AS W ON W.VolumeID = A.VolumeID
        LEFT JOIN (SELECT B.VolumeID, MIN(U.Time) AS Time FROM (
            SELECT F.BlocksetID, MIN(G.Time) AS Time FROM Age AS G JOIN FileLookup AS F ON F.ID = G.FileID GROUP BY F.BlocksetID
            UNION ALL
            SELECT M.BlocksetID, MIN(G.Time) FROM Age AS G JOIN FileLookup AS F ON F.ID = G.FileID
                JOIN Metadataset AS M ON M.ID = F.MetadataID GROUP BY M.BlocksetID) AS U
            JOIN BlocksetEntry AS X ON X.BlocksetID = U.BlocksetID JOIN Block AS B ON B.ID = X.BlockID
                GROUP BY B.VolumeID) AS T ON T.VolumeID = A.VolumeID
        """;

    internal const string ChangeTables = """
        CREATE TEMP TABLE "Before" (Path TEXT NOT NULL, Hash TEXT NULL, Metahash TEXT NOT NULL, Size INTEGER NOT NULL);
        CREATE TEMP TABLE "After" (Path TEXT NOT NULL, Hash TEXT NULL, Metahash TEXT NOT NULL, Size INTEGER NOT NULL)
        """;

    internal const string ChangeFill = """
        INSERT INTO "Before" SELECT F.Path, S.FullHash, N.FullHash, IFNULL(S.Length, -1) FROM FilesetEntry AS E
            JOIN File AS F ON F.ID = E.FileID LEFT JOIN Blockset AS S ON S.ID = F.BlocksetID
        JOIN Metadataset AS M ON M.ID = F.MetadataID JOIN Blockset AS N ON N.ID = M.BlocksetID WHERE E.FilesetID = @p0;
        INSERT INTO "After" SELECT F.Path, S.FullHash, N.FullHash, IFNULL(S.Length, -1) FROM FilesetEntry AS E
            JOIN File AS F ON F.ID = E.FileID LEFT JOIN Blockset AS S ON S.ID = F.BlocksetID
        JOIN Metadataset AS M ON M.ID = F.MetadataID JOIN Blockset AS N ON N.ID = M.BlocksetID WHERE E.FilesetID = @p1;
        CREATE INDEX temp.BeforePath ON "Before" (Path); CREATE INDEX temp.AfterPath ON "After" (Path)
        """;

    // Added, deleted and modified files.
    internal const string ChangeCounts = """
        SELECT (SELECT COUNT(*) FROM "After" WHERE Hash IS NOT NULL AND Path NOT IN (SELECT Path FROM "Before"))
             + (SELECT COUNT(*) FROM "Before" WHERE Hash IS NOT NULL AND Path NOT IN (SELECT Path FROM "After"))
             + (SELECT COUNT(*) FROM "Before" AS B JOIN "After" AS A ON A.Path = B.Path
                 WHERE B.Hash IS NOT NULL AND (A.Hash IS NOT B.Hash OR A.Metahash <> B.Metahash))
        """;

    internal const string ChangeSizes = """SELECT (SELECT SUM(Size) FROM "Before") + (SELECT SUM(Size) FROM "After")""";

    internal const string ChangedPaths = """
        SELECT Path FROM "After" WHERE Path NOT IN (SELECT Path FROM "Before")
        UNION ALL SELECT Path FROM "Before" WHERE Path NOT IN (SELECT Path FROM "After")
        UNION ALL SELECT B.Path FROM "Before" AS B JOIN "After" AS A ON A.Path = B.Path
            WHERE A.Hash IS NOT B.Hash OR A.Metahash <> B.Metahash
        ORDER BY 1
        """;

    internal const string PurgeCopy = """
        CREATE TEMP TABLE Kept (FileID INTEGER PRIMARY KEY, Lastmodified INTEGER NOT NULL);
        INSERT INTO Kept SELECT FileID, Lastmodified FROM FilesetEntry WHERE FilesetID = @p0
        """;

    internal const string PurgeMatching = """
        DELETE FROM Kept WHERE FileID IN (SELECT ID FROM File WHERE Path GLOB '*/file *7' AND ID IN (SELECT FileID FROM Kept));
        SELECT changes()
        """;

    /// <summary>Only the blocks of removed files are looked at, each with its other uses.</summary>
    internal const string PurgedSize = """
        SELECT SUM(Size) FROM Block AS B WHERE B.ID IN (
            SELECT X.BlockID FROM FilesetEntry AS E JOIN FileLookup AS F ON F.ID = E.FileID
                JOIN BlocksetEntry AS X ON X.BlocksetID = F.BlocksetID
            WHERE E.FilesetID = @p0 AND E.FileID NOT IN (SELECT FileID FROM Kept))
        AND NOT EXISTS (
            SELECT 1 FROM BlocksetEntry AS X JOIN FileLookup AS F ON F.BlocksetID = X.BlocksetID JOIN Kept AS K ON K.FileID = F.ID
                WHERE X.BlockID = B.ID)
        """;

    /// <summary>The same for metadata.</summary>
    internal const string PurgedMetadataSize = """
        SELECT SUM(Size) FROM Block AS B WHERE B.ID IN (
            SELECT X.BlockID FROM FilesetEntry AS E JOIN FileLookup AS F ON F.ID = E.FileID
                JOIN Metadataset AS M ON M.ID = F.MetadataID JOIN BlocksetEntry AS X ON X.BlocksetID = M.BlocksetID
            WHERE E.FilesetID = @p0 AND E.FileID NOT IN (SELECT FileID FROM Kept))
        AND NOT EXISTS (
            SELECT 1 FROM BlocksetEntry AS X JOIN Metadataset AS M ON M.BlocksetID = X.BlocksetID
                JOIN FileLookup AS F ON F.MetadataID = M.ID JOIN Kept AS K ON K.FileID = F.ID WHERE X.BlockID = B.ID)
        """;
}
