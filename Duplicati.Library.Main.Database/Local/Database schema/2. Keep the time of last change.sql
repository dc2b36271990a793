-- The time of the scan says nothing about the file. The time of its last change is not known for what
-- is there already. 0 differs from every real time, so each file is checked once more.
CREATE TABLE "FilesetEntry_upgrade" (
    "FilesetID" INTEGER NOT NULL,
    "FileID" INTEGER NOT NULL,
    "Lastmodified" INTEGER NOT NULL
);

INSERT INTO "FilesetEntry_upgrade" ("FilesetID", "FileID", "Lastmodified")
    SELECT "FilesetID", "FileID", 0 FROM "FilesetEntry";

DROP TABLE "FilesetEntry";
ALTER TABLE "FilesetEntry_upgrade" RENAME TO "FilesetEntry";

UPDATE "Version" SET "Version" = 2;
