namespace Duplicati.Benchmarks.Micro;

/// <summary>The block table as it is in the local database, and the statements benchmarks put to it.</summary>
internal static class BlockTableSql
{
    internal const string Begin = "BEGIN";
    internal const string Commit = "COMMIT";
    internal const string Rollback = "ROLLBACK";

    /// <summary>A file without a log can be copied as it is.</summary>
    internal const string LeaveNoLog = "PRAGMA journal_mode=DELETE";

    /// <summary>Table and indexes of schema version 19.</summary>
    internal const string Create = """
        CREATE TABLE "Block" ("ID" INTEGER PRIMARY KEY, "Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "VolumeID" INTEGER NOT NULL);
        CREATE UNIQUE INDEX "BlockHashSize" ON "Block" ("Hash", "Size");
        CREATE INDEX "Block_IndexByVolumeId" ON "Block" ("VolumeID");
        CREATE INDEX "BlockSize" ON "Block" ("Size");
        CREATE INDEX "BlockHashVolumeID" ON "Block" ("Hash", "VolumeID");
        """;

    /// <summary>Adds to all five b-trees.</summary>
    internal const string Insert = """INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES (?1, ?2, ?3)""";

    /// <summary>BlockHashSize, covering.</summary>
    internal const string Find = """SELECT "ID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    /// <summary>The table's own b-tree.</summary>
    internal const string FindById = """SELECT "Size" FROM "Block" WHERE "ID" = ?1""";

    /// <summary>Takes the write lock at once, so that a batch never has to give way in the middle.</summary>
    internal const string BeginWriting = "BEGIN IMMEDIATE";

    /// <summary>The row by its id, then Block_IndexByVolumeId and BlockHashVolumeID.</summary>
    internal const string Move = """UPDATE "Block" SET "VolumeID" = ?2 WHERE "ID" = ?1""";

    /// <summary>The smallest index.</summary>
    internal const string Count = """SELECT count(*) FROM "Block" """;

    /// <summary>Every row, in the order of the table.</summary>
    internal const string ReadAll = """SELECT "Hash", "Size", "VolumeID" FROM "Block" """;

    /// <summary>Sorts the whole table outside of any index.</summary>
    internal const string Sort = """CREATE INDEX "BlockVolumeHashSize" ON "Block" ("VolumeID", "Hash", "Size")""";

    /// <summary>The index that <see cref="Sort"/> made.</summary>
    internal const string CountSorted = """SELECT count(*) FROM "Block" INDEXED BY "BlockVolumeHashSize" WHERE "VolumeID" >= 0""";
}
