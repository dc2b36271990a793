CREATE UNIQUE INDEX IF NOT EXISTS "BlocklistHashBlocksetIDIndex" ON "BlocklistHash" ("BlocksetID", "Index");

UPDATE "Version" SET "Version" = 7;
