PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE "Parent_new" ("ID" INTEGER PRIMARY KEY, "Name" TEXT, "More" TEXT);
INSERT INTO "Parent_new" SELECT "ID", "Name", 'more' FROM "Parent";
DROP TABLE "Parent";
ALTER TABLE "Parent_new" RENAME TO "Parent";
COMMIT;
VACUUM;
PRAGMA foreign_keys = ON;
