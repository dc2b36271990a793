-- The first databases had no indices at all.
CREATE UNIQUE INDEX IF NOT EXISTS "FilePath" ON "File" ("Path", "BlocksetID", "MetadataID");
CREATE UNIQUE INDEX IF NOT EXISTS "BlocksetFullHash" ON "Blockset" ("FullHash", "Length");
CREATE UNIQUE INDEX IF NOT EXISTS "BlockHashSize" ON "Block" ("Hash", "Size");
CREATE UNIQUE INDEX IF NOT EXISTS "RemotevolumeName" ON "Remotevolume" ("Name", "State");

CREATE INDEX IF NOT EXISTS "BlocksetEntryIds_Forward" ON "BlocksetEntry" ("BlocksetID", "BlockID");
CREATE INDEX IF NOT EXISTS "BlocksetEntryIds_Backwards" ON "BlocksetEntry" ("BlockID", "BlocksetID");
CREATE INDEX IF NOT EXISTS "MetadatasetBlocksetID" ON "Metadataset" ("BlocksetID");

UPDATE "Version" SET "Version" = 1;
