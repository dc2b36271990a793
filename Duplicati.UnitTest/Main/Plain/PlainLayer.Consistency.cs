// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Plain;

internal sealed partial class PlainLayer
{
    private const string FILES = """
        SELECT F."Path" FROM FilesetEntry E JOIN "File" F ON F.ID = E.FileID WHERE E.FilesetID = FS.ID AND F.BlocksetID >= 0
        """;

    private const string FOLDERS = """
        SELECT F."Path" FROM FilesetEntry E JOIN "File" F ON F.ID = E.FileID JOIN Metadataset M ON M.ID = F.MetadataID JOIN Blockset S ON S.ID = M.BlocksetID
        JOIN BlocksetEntry X ON X.BlocksetID = S.ID AND X."Index" = 0 JOIN Block B ON B.ID = X.BlockID
        WHERE E.FilesetID = FS.ID AND F.BlocksetID IN (-100, -200)
        """;

    /// <summary>The number of the first check that fails, 0 if none does.</summary>
    internal static int FirstInconsistency(SqliteConnection connection, int entriesPerBlocklist, bool strict, bool lists)
    {
        (int Number, bool Runs, string Sql)[] checks =
        [
            (
                1,
                true,
                """
                SELECT COUNT(*) FROM Blockset S WHERE S.ID IN (SELECT BlocksetID FROM "File")
                AND S.Length <> IFNULL((SELECT SUM(B.Size) FROM BlocksetEntry E JOIN Block B ON B.ID = E.BlockID WHERE E.BlocksetID = S.ID), 0)
                """
            ),
            (
                2,
                true,
                """SELECT (SELECT COUNT(*) FROM BlocklistHash) - (SELECT COUNT(*) FROM (SELECT DISTINCT BlocksetID, "Index" FROM BlocklistHash))"""
            ),
            (
                3,
                true,
                $"""
                SELECT COUNT(*) FROM (SELECT BlocksetID, COUNT(*) AS N FROM BlocksetEntry GROUP BY BlocksetID) C
                WHERE C.N > 1 AND (SELECT COUNT(*) FROM BlocklistHash H WHERE H.BlocksetID = C.BlocksetID) <> (C.N + {entriesPerBlocklist
                    - 1}) / {entriesPerBlocklist}
                """
            ),
            (4, true, "SELECT COUNT(*) FROM Blockset WHERE Length > 0 AND ID NOT IN (SELECT BlocksetID FROM BlocksetEntry)"),
            (
                5,
                true,
                "SELECT COUNT(*) FROM FileLookup WHERE BlocksetID NOT IN (-100, -200) AND BlocksetID NOT IN (SELECT ID FROM Blockset)"
            ),
            (
                6,
                strict,
                "SELECT COUNT(*) FROM Fileset WHERE VolumeID NOT IN (SELECT ID FROM Remotevolume WHERE Type = 'Files' AND State <> 'Deleted')"
            ),
            (
                7,
                strict,
                "SELECT COUNT(*) FROM Remotevolume WHERE Type = 'Files' AND State NOT IN ('Deleted', 'Deleting') AND ID NOT IN (SELECT VolumeID FROM Fileset)"
            ),
            (8, true, "SELECT COUNT(*) FROM FilesetEntry WHERE FileID NOT IN (SELECT ID FROM FileLookup)"),
            (
                9,
                lists,
                $"""
                SELECT COUNT(*) FROM Fileset FS
                WHERE (SELECT COUNT(*) FROM (SELECT DISTINCT "Path" FROM ({FILES} UNION {FOLDERS}))) <> (SELECT COUNT(*) FROM FilesetEntry WHERE FilesetID = FS.ID)
                """
            ),
        ];
        return checks.FirstOrDefault(x => x.Runs && int.Parse(connection.Scalar(x.Sql)!, CultureInfo.InvariantCulture) != 0).Number;
    }
}
