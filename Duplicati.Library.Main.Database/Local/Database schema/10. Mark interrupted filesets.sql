-- Only complete backups were recorded before.
CREATE TABLE "Fileset_upgrade" (
    "ID" INTEGER PRIMARY KEY,
    "OperationID" INTEGER NOT NULL,
    "VolumeID" INTEGER NOT NULL,
    "IsFullBackup" INTEGER NOT NULL,
    "Timestamp" INTEGER NOT NULL
);

INSERT INTO "Fileset_upgrade" ("ID", "OperationID", "VolumeID", "IsFullBackup", "Timestamp")
    SELECT "ID", "OperationID", "VolumeID", 1, "Timestamp" FROM "Fileset";

DROP TABLE "Fileset";
ALTER TABLE "Fileset_upgrade" RENAME TO "Fileset";

UPDATE "Version" SET "Version" = 10;
