SELECT * FROM "never run";
