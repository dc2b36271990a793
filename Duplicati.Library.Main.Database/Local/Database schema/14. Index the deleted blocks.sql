CREATE INDEX IF NOT EXISTS "DeletedBlockHashSize" ON "DeletedBlock" ("Hash", "Size");
CREATE UNIQUE INDEX IF NOT EXISTS "DeletedBlockHashVolumeID" ON "DeletedBlock" ("Hash", "Size", "VolumeID");

UPDATE "Version" SET "Version" = 14;
