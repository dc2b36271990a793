{#if db_version = 1}INSERT INTO "Parent" VALUES (2, 'second');{#else}SELECT * FROM "never run";{#endif}
