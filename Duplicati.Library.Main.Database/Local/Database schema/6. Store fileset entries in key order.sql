-- As script 5, for the entries of filesets.
DROP INDEX IF EXISTS "FilesetentryIndex";

CREATE TABLE "FilesetEntry_upgrade" (
    "FilesetID" INTEGER NOT NULL,
    "FileID" INTEGER NOT NULL,
    "Lastmodified" INTEGER NOT NULL,
    CONSTRAINT "FilesetEntry_PK_FilesetIdFileId" PRIMARY KEY ("FilesetID", "FileID")
) {#if sqlite_version >= 3.8.2} WITHOUT ROWID {#endif};

INSERT INTO "FilesetEntry_upgrade" ("FilesetID", "FileID", "Lastmodified")
    SELECT "FilesetID", "FileID", "Lastmodified" FROM "FilesetEntry" ORDER BY "FilesetID", "FileID";

DROP TABLE "FilesetEntry";
ALTER TABLE "FilesetEntry_upgrade" RENAME TO "FilesetEntry";

CREATE INDEX IF NOT EXISTS "FilesetentryFileIdIndex" ON "FilesetEntry" ("FileID");

UPDATE "Version" SET "Version" = 6;
