// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Replay;
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

    private const string PATHS = $"""
        SELECT COUNT(*) FROM Fileset FS
        WHERE (SELECT COUNT(*) FROM (SELECT DISTINCT "Path" FROM ({FILES} UNION {FOLDERS}))) <> (SELECT COUNT(*) FROM FilesetEntry WHERE FilesetID = FS.ID)
        """;

    /// <summary>The number of the first check that fails, 0 if none does. Only strict checks look at versions and their volumes.</summary>
    internal static int FirstInconsistency(SqliteConnection connection, int entriesPerBlocklist, bool strict, bool lists) =>
        PlainSql
            .Checks.Append(PATHS)
            .Select((sql, i) => (Number: i + 1, Sql: sql.Replace("@p0", $"{entriesPerBlocklist}", StringComparison.Ordinal)))
            .Where(x => (strict || x.Number is not (6 or 7)) && (lists || x.Number != 9))
            .FirstOrDefault(x => connection.Scalar(x.Sql) != "0")
            .Number;
}
