// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Plain;

internal sealed partial class PlainLayer
{
    /// <summary>Deletes filesets: one statement a table that removes what nothing refers to.</summary>
    internal static void DeleteFilesets(SqliteConnection connection, params long[] times)
    {
        connection.Execute($"""DELETE FROM "Fileset" WHERE "Timestamp" IN ({string.Join(", ", times)})""");
        foreach (
            var sql in new[]
            {
                """DELETE FROM "FilesetEntry" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")""",
                """DELETE FROM "ChangeJournalData" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")""",
                """DELETE FROM "FileLookup" WHERE "ID" NOT IN (SELECT "FileID" FROM "FilesetEntry")""",
                """DELETE FROM "Metadataset" WHERE "ID" NOT IN (SELECT "MetadataID" FROM "FileLookup")""",
                """DELETE FROM "Blockset" WHERE "ID" NOT IN (SELECT "BlocksetID" FROM "FileLookup" UNION SELECT "BlocksetID" FROM "Metadataset")""",
                """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset")""",
                """DELETE FROM "BlocklistHash" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset")""",
                """INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" NOT IN (SELECT "BlockID" FROM "BlocksetEntry") AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash") ORDER BY "ID" """,
                """DELETE FROM "Block" WHERE "ID" NOT IN (SELECT "BlockID" FROM "BlocksetEntry") AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")""",
                """UPDATE "Remotevolume" SET "State" = 'Deleting' WHERE "Type" = 'Files' AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")""",
            }
        )
            connection.Execute(sql);
    }
}
