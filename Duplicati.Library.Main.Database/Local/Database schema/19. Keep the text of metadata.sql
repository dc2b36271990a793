ALTER TABLE "Metadataset" ADD COLUMN "Content" TEXT NULL;
