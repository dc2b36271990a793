// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>Which volumes are needed to restore some filesets; the filesets are in the temporary table SelectedFileset.</summary>
internal static class VolumeDependencySql
{
    // Row id of the temporary table.
    internal const string SelectFileset = """INSERT OR IGNORE INTO temp."SelectedFileset" ("ID") VALUES (?1)""";

    // Primary key of FilesetEntry, row id of FileLookup.
    internal const string SelectDataBlocksets = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT "FileLookup"."BlocksetID"
        FROM temp."SelectedFileset"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "SelectedFileset"."ID"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        WHERE "FileLookup"."BlocksetID" >= 0
        """;

    // Primary key of FilesetEntry, row ids of FileLookup and Metadataset.
    internal const string SelectMetadataBlocksets = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT "Metadataset"."BlocksetID"
        FROM temp."SelectedFileset"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "SelectedFileset"."ID"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        """;

    // Primary key of BlocksetEntry, row id of Block.
    internal const string SelectBlockVolumes = """
        INSERT OR IGNORE INTO temp."SelectedVolume" ("ID")
        SELECT "Block"."VolumeID"
        FROM temp."SelectedBlockset"
        CROSS JOIN "BlocksetEntry" ON "BlocksetEntry"."BlocksetID" = "SelectedBlockset"."ID"
        CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        """;

    // Reads IndexBlockLink, about one row a volume.
    internal const string SelectIndexVolumes = """
        INSERT OR IGNORE INTO temp."SelectedVolume" ("ID")
        SELECT "IndexVolumeID" FROM "IndexBlockLink" WHERE "BlockVolumeID" IN (SELECT "ID" FROM temp."SelectedVolume")
        """;

    // Row id of Fileset.
    internal const string SelectListVolumes = """
        INSERT OR IGNORE INTO temp."SelectedVolume" ("ID")
        SELECT "Fileset"."VolumeID" FROM temp."SelectedFileset" CROSS JOIN "Fileset" ON "Fileset"."ID" = "SelectedFileset"."ID"
        """;

    // Row id of Remotevolume.
    internal const string Selected = """
        SELECT "Remotevolume"."Name", "Remotevolume"."LockExpirationTime"
        FROM temp."SelectedVolume" CROSS JOIN "Remotevolume" ON "Remotevolume"."ID" = "SelectedVolume"."ID"
        """;
}
