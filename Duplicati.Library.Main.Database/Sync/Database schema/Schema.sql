-- The remote synchronization database. LastModified and LastVerified are ISO 8601 text in UTC,
-- StartedAt and Timestamp are seconds since 1970.

-- What the destination held when it was last listed.
CREATE TABLE "RemoteInventory" (
    "ID" INTEGER PRIMARY KEY AUTOINCREMENT,
    "RelativePath" TEXT UNIQUE NOT NULL,
    "Size" INTEGER NOT NULL,
    "LastModified" DATETIME NOT NULL,
    "ContentHash" TEXT NULL,
    "LastVerified" DATETIME NOT NULL
);

-- Transfers that were started and not yet finished.
CREATE TABLE "PendingOperation" (
    "ID" INTEGER PRIMARY KEY AUTOINCREMENT,
    "Path" TEXT UNIQUE NOT NULL,
    "Operation" TEXT NOT NULL,
    "Size" INTEGER,
    "Hash" TEXT,
    "StartedAt" INTEGER NOT NULL,
    "Attempts" INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE "RemoteOperation" (
    "ID" INTEGER PRIMARY KEY AUTOINCREMENT,
    "Timestamp" INTEGER NOT NULL,
    "Operation" TEXT NOT NULL,
    "Path" TEXT NOT NULL,
    "Data" TEXT NULL
);

CREATE INDEX "RemoteOperationTimestamp" ON "RemoteOperation" ("Timestamp");

CREATE TABLE "Version" (
    "ID" INTEGER PRIMARY KEY,
    "Version" INTEGER NOT NULL
);

INSERT INTO "Version" ("ID", "Version") VALUES (1, 0);
