-- The primary key replaces the forward index, and the table itself where the engine can do without row ids.
DROP INDEX IF EXISTS "BlocksetEntryIds_Forward";
DROP INDEX IF EXISTS "BlocksetEntryIds_Backwards";

CREATE TABLE "BlocksetEntry_upgrade" (
    "BlocksetID" INTEGER NOT NULL,
    "Index" INTEGER NOT NULL,
    "BlockID" INTEGER NOT NULL,
    CONSTRAINT "BlocksetEntry_PK_IdIndex" PRIMARY KEY ("BlocksetID", "Index")
) {#if sqlite_version >= 3.8.2} WITHOUT ROWID {#endif};

-- In key order every row is appended to the last page.
INSERT INTO "BlocksetEntry_upgrade" ("BlocksetID", "Index", "BlockID")
    SELECT "BlocksetID", "Index", "BlockID" FROM "BlocksetEntry" ORDER BY "BlocksetID", "Index";

DROP TABLE "BlocksetEntry";
ALTER TABLE "BlocksetEntry_upgrade" RENAME TO "BlocksetEntry";

CREATE INDEX IF NOT EXISTS "BlocksetEntry_IndexIdsBackwards" ON "BlocksetEntry" ("BlockID");
CREATE INDEX IF NOT EXISTS "Block_IndexByVolumeId" ON "Block" ("VolumeID");

UPDATE "Version" SET "Version" = 5;
