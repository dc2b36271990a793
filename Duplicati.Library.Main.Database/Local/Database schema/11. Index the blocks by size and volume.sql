-- Some installations made these themselves, and new databases have the second one without UNIQUE.
CREATE INDEX IF NOT EXISTS "BlockSize" ON "Block" ("Size");
CREATE UNIQUE INDEX IF NOT EXISTS "BlockHashVolumeID" ON "Block" ("Hash", "VolumeID");

UPDATE "Version" SET "Version" = 11;
