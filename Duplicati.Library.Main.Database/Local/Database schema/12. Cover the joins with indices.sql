CREATE INDEX IF NOT EXISTS "nnc_Metadataset" ON "Metadataset" ("ID", "BlocksetID");
CREATE INDEX IF NOT EXISTS "nn_FilesetentryFile" ON "FilesetEntry" ("FilesetID", "FileID");
CREATE INDEX IF NOT EXISTS "nn_FileLookup_BlockMeta" ON "FileLookup" ("BlocksetID", "MetadataID");
CREATE INDEX IF NOT EXISTS "nnc_BlocksetEntry" ON "BlocksetEntry" ("Index", "BlocksetID", "BlockID");

UPDATE "Version" SET "Version" = 12;
