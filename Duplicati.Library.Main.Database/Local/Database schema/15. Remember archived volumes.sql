-- The index on name and state, where there is one, goes with the old table and is made again by script 18.
CREATE TABLE "Remotevolume_upgrade" (
    "ID" INTEGER PRIMARY KEY,
    "OperationID" INTEGER NOT NULL,
    "Name" TEXT NOT NULL,
    "Type" TEXT NOT NULL,
    "Size" INTEGER NULL,
    "Hash" TEXT NULL,
    "State" TEXT NOT NULL,
    "VerificationCount" INTEGER NOT NULL,
    "DeleteGraceTime" INTEGER NOT NULL,
    "ArchiveTime" INTEGER NOT NULL
);

INSERT INTO "Remotevolume_upgrade"
        ("ID", "OperationID", "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime")
    SELECT "ID", "OperationID", "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", 0
    FROM "Remotevolume";

DROP TABLE "Remotevolume";
ALTER TABLE "Remotevolume_upgrade" RENAME TO "Remotevolume";

UPDATE "Version" SET "Version" = 15;
