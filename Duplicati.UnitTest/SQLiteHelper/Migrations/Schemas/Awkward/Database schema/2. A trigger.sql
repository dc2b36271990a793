CREATE TABLE "Log" ("Text" TEXT);
CREATE TRIGGER "Watch" AFTER INSERT ON "Parent" BEGIN
    INSERT INTO "Log" VALUES (CASE WHEN new."ID" = 2 THEN 'two;' ELSE 'other' END);
    INSERT INTO "Log" VALUES (new."Name"); -- a comment; with semicolons;
END;
