-- The local backup database at its newest version. Numbered scripts in this folder lead every older
-- version to exactly this set of objects; the last statement records the version.

-- One row for each run of an operation.
CREATE TABLE "Operation" (
    "ID" INTEGER PRIMARY KEY,
    "Description" TEXT NOT NULL,
    "Timestamp" INTEGER NOT NULL
);

-- Files at the destination; Size -1 or NULL and Hash NULL mean "not known yet".
CREATE TABLE "Remotevolume" (
    "ID" INTEGER PRIMARY KEY,
    "OperationID" INTEGER NOT NULL,
    "Name" TEXT NOT NULL,
    "Type" TEXT NOT NULL,
    "Size" INTEGER NULL,
    "Hash" TEXT NULL,
    "State" TEXT NOT NULL,
    "VerificationCount" INTEGER NOT NULL,
    "DeleteGraceTime" INTEGER NOT NULL,
    "ArchiveTime" INTEGER NOT NULL,
    "LockExpirationTime" INTEGER NOT NULL
);

CREATE UNIQUE INDEX "RemotevolumeNameOnly" ON "Remotevolume" ("Name");
CREATE UNIQUE INDEX "RemotevolumeName" ON "Remotevolume" ("Name", "State");

-- Which index volume describes which block volume.
CREATE TABLE "IndexBlockLink" (
    "IndexVolumeID" INTEGER NOT NULL,
    "BlockVolumeID" INTEGER NOT NULL
);

-- A backup version; VolumeID is its dlist volume.
CREATE TABLE "Fileset" (
    "ID" INTEGER PRIMARY KEY,
    "OperationID" INTEGER NOT NULL,
    "VolumeID" INTEGER NOT NULL,
    "IsFullBackup" INTEGER NOT NULL,
    "Timestamp" INTEGER NOT NULL
);

CREATE TABLE "FilesetEntry" (
    "FilesetID" INTEGER NOT NULL,
    "FileID" INTEGER NOT NULL,
    "Lastmodified" INTEGER NOT NULL,
    CONSTRAINT "FilesetEntry_PK_FilesetIdFileId" PRIMARY KEY ("FilesetID", "FileID")
) {#if sqlite_version >= 3.8.2} WITHOUT ROWID {#endif};

CREATE INDEX "FilesetentryFileIdIndex" ON "FilesetEntry" ("FileID");
CREATE INDEX "nn_FilesetentryFile" ON "FilesetEntry" ("FilesetID", "FileID");

-- A path is a prefix (up to and including the last separator) and a name.
CREATE TABLE "PathPrefix" (
    "ID" INTEGER PRIMARY KEY,
    "Prefix" TEXT NOT NULL
);

CREATE UNIQUE INDEX "PathPrefixPrefix" ON "PathPrefix" ("Prefix");

-- BlocksetID -100 is a folder, -200 a symbolic link.
CREATE TABLE "FileLookup" (
    "ID" INTEGER PRIMARY KEY,
    "PrefixID" INTEGER NOT NULL,
    "Path" TEXT NOT NULL,
    "BlocksetID" INTEGER NOT NULL,
    "MetadataID" INTEGER NOT NULL
);

CREATE UNIQUE INDEX "FileLookupPath" ON "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID");
CREATE INDEX "nn_FileLookup_BlockMeta" ON "FileLookup" ("BlocksetID", "MetadataID");
CREATE INDEX "FileLookupMetadataID" ON "FileLookup" ("MetadataID");

CREATE VIEW "File" AS
    SELECT
        "FileLookup"."ID" AS "ID",
        "PathPrefix"."Prefix" || "FileLookup"."Path" AS "Path",
        "FileLookup"."BlocksetID" AS "BlocksetID",
        "FileLookup"."MetadataID" AS "MetadataID"
    FROM "FileLookup"
    INNER JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID";

-- The blocks that hold the list of block hashes of a blockset of more than one block.
CREATE TABLE "BlocklistHash" (
    "BlocksetID" INTEGER NOT NULL,
    "Index" INTEGER NOT NULL,
    "Hash" TEXT NOT NULL
);

CREATE UNIQUE INDEX "BlocklistHashBlocksetIDIndex" ON "BlocklistHash" ("BlocksetID", "Index");

-- The content of a file or of a metadata record.
CREATE TABLE "Blockset" (
    "ID" INTEGER PRIMARY KEY,
    "Length" INTEGER NOT NULL,
    "FullHash" TEXT NOT NULL
);

CREATE UNIQUE INDEX "BlocksetFullHash" ON "Blockset" ("FullHash", "Length");

CREATE TABLE "BlocksetEntry" (
    "BlocksetID" INTEGER NOT NULL,
    "Index" INTEGER NOT NULL,
    "BlockID" INTEGER NOT NULL,
    CONSTRAINT "BlocksetEntry_PK_IdIndex" PRIMARY KEY ("BlocksetID", "Index")
) {#if sqlite_version >= 3.8.2} WITHOUT ROWID {#endif};

CREATE INDEX "BlocksetEntry_IndexIdsBackwards" ON "BlocksetEntry" ("BlockID");
CREATE INDEX "nnc_BlocksetEntry" ON "BlocksetEntry" ("Index", "BlocksetID", "BlockID");
CREATE INDEX "BlocksetEntry_BlocksetID" ON "BlocksetEntry" ("BlocksetID");

-- Blocks in use, each with the volume it is read from.
CREATE TABLE "Block" (
    "ID" INTEGER PRIMARY KEY,
    "Hash" TEXT NOT NULL,
    "Size" INTEGER NOT NULL,
    "VolumeID" INTEGER NOT NULL
);

CREATE UNIQUE INDEX "BlockHashSize" ON "Block" ("Hash", "Size");
CREATE INDEX "Block_IndexByVolumeId" ON "Block" ("VolumeID");
CREATE INDEX "BlockSize" ON "Block" ("Size");
CREATE INDEX "BlockHashVolumeID" ON "Block" ("Hash", "VolumeID");

-- Blocks that nothing refers to any more but that are still stored in a volume.
CREATE TABLE "DeletedBlock" (
    "ID" INTEGER PRIMARY KEY,
    "Hash" TEXT NOT NULL,
    "Size" INTEGER NOT NULL,
    "VolumeID" INTEGER NOT NULL
);

CREATE INDEX "DeletedBlockHashSize" ON "DeletedBlock" ("Hash", "Size");
CREATE UNIQUE INDEX "DeletedBlockHashVolumeID" ON "DeletedBlock" ("Hash", "Size", "VolumeID");

-- Further copies, in other volumes, of blocks in use.
CREATE TABLE "DuplicateBlock" (
    "BlockID" INTEGER NOT NULL,
    "VolumeID" INTEGER NOT NULL
);

CREATE UNIQUE INDEX "UniqueBlockVolumeDuplicateBlock" ON "DuplicateBlock" ("BlockID", "VolumeID");

CREATE TABLE "Metadataset" (
    "ID" INTEGER PRIMARY KEY,
    "BlocksetID" INTEGER NOT NULL,
    "Content" TEXT NULL
);

CREATE INDEX "MetadatasetBlocksetID" ON "Metadataset" ("BlocksetID");
CREATE INDEX "nnc_Metadataset" ON "Metadataset" ("ID", "BlocksetID");

-- What was done at the destination, and the log.
CREATE TABLE "RemoteOperation" (
    "ID" INTEGER PRIMARY KEY,
    "OperationID" INTEGER NOT NULL,
    "Timestamp" INTEGER NOT NULL,
    "Operation" TEXT NOT NULL,
    "Path" TEXT NOT NULL,
    "Data" BLOB NULL
);

CREATE TABLE "LogData" (
    "ID" INTEGER PRIMARY KEY,
    "OperationID" INTEGER NOT NULL,
    "Timestamp" INTEGER NOT NULL,
    "Type" TEXT NOT NULL,
    "Message" TEXT NOT NULL,
    "Exception" TEXT NULL
);

CREATE TABLE "Version" (
    "ID" INTEGER PRIMARY KEY,
    "Version" INTEGER NOT NULL
);

CREATE TABLE "Configuration" (
    "Key" TEXT PRIMARY KEY NOT NULL,
    "Value" TEXT NOT NULL
);

-- Position in the change journal of each volume of a fileset.
CREATE TABLE "ChangeJournalData" (
    "ID" INTEGER PRIMARY KEY,
    "FilesetID" INTEGER NOT NULL,
    "VolumeName" TEXT NOT NULL,
    "JournalID" INTEGER NOT NULL,
    "NextUsn" INTEGER NOT NULL,
    "ConfigHash" TEXT NOT NULL
);

INSERT INTO "Version" ("ID", "Version") VALUES (1, 19);
