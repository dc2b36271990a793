-- A path is split behind its last separator, slash or backslash. One slash at the very end belongs to
-- the name. Trimming every character that is no separator from the right leaves the prefix.
CREATE TABLE "PathPrefix" (
    "ID" INTEGER PRIMARY KEY,
    "Prefix" TEXT NOT NULL
);

CREATE UNIQUE INDEX "PathPrefixPrefix" ON "PathPrefix" ("Prefix");

CREATE TABLE "FilePrefix_upgrade" (
    "ID" INTEGER PRIMARY KEY,
    "Prefix" TEXT NOT NULL
);

INSERT INTO "FilePrefix_upgrade" ("ID", "Prefix")
    SELECT
        "ID",
        rtrim("Searched", replace(replace("Searched", '/', ''), '\', ''))
    FROM (
        SELECT
            "ID",
            CASE WHEN substr("Path", -1) = '/' THEN substr("Path", 1, length("Path") - 1) ELSE "Path" END AS "Searched"
        FROM "File"
    );

INSERT INTO "PathPrefix" ("Prefix")
    SELECT DISTINCT "Prefix" FROM "FilePrefix_upgrade" ORDER BY "Prefix";

CREATE TABLE "FileLookup" (
    "ID" INTEGER PRIMARY KEY,
    "PrefixID" INTEGER NOT NULL,
    "Path" TEXT NOT NULL,
    "BlocksetID" INTEGER NOT NULL,
    "MetadataID" INTEGER NOT NULL
);

INSERT INTO "FileLookup" ("ID", "PrefixID", "Path", "BlocksetID", "MetadataID")
    SELECT
        "File"."ID",
        "PathPrefix"."ID",
        substr("File"."Path", length("FilePrefix_upgrade"."Prefix") + 1),
        "File"."BlocksetID",
        "File"."MetadataID"
    FROM "File"
    INNER JOIN "FilePrefix_upgrade" ON "FilePrefix_upgrade"."ID" = "File"."ID"
    INNER JOIN "PathPrefix" ON "PathPrefix"."Prefix" = "FilePrefix_upgrade"."Prefix"
    ORDER BY "File"."ID";

CREATE UNIQUE INDEX "FileLookupPath" ON "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID");

DROP TABLE "FilePrefix_upgrade";
DROP TABLE "File";

CREATE VIEW "File" AS
    SELECT
        "FileLookup"."ID" AS "ID",
        "PathPrefix"."Prefix" || "FileLookup"."Path" AS "Path",
        "FileLookup"."BlocksetID" AS "BlocksetID",
        "FileLookup"."MetadataID" AS "MetadataID"
    FROM "FileLookup"
    INNER JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID";

UPDATE "Version" SET "Version" = 9;
