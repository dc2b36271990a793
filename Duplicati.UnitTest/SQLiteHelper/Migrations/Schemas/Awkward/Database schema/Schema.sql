CREATE TABLE "Parent" ("ID" INTEGER PRIMARY KEY, "Name" TEXT);
CREATE TABLE "Child" ("ParentID" INTEGER REFERENCES "Parent" ("ID"));
CREATE TABLE "Version" ("ID" INTEGER PRIMARY KEY, "Version" INTEGER NOT NULL);
INSERT INTO "Parent" VALUES (1, 'a;b');
INSERT INTO "Child" VALUES (1);
-- Older than the newest on purpose: what was just created is upgraded at once.
INSERT INTO "Version" VALUES (1, 1);
