CREATE UNIQUE INDEX IF NOT EXISTS "FilesetentryIndex" ON "FilesetEntry" ("FilesetID", "FileID");

UPDATE "Version" SET "Version" = 4;
