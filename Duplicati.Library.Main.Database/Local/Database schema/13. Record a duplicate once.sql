-- From here on a database tool runs a whole script as one command: no transaction control, no directive,
-- nothing that looks like a parameter, no rows returned.
DELETE FROM "DuplicateBlock"
WHERE rowid NOT IN (
    SELECT min(rowid) FROM "DuplicateBlock" GROUP BY "BlockID", "VolumeID"
);

CREATE UNIQUE INDEX IF NOT EXISTS "UniqueBlockVolumeDuplicateBlock" ON "DuplicateBlock" ("BlockID", "VolumeID");

UPDATE "Version" SET "Version" = 13;
