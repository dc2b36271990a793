// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Volumes;

internal static class VolumeTablesSql
{
    // Volumes a removal is about, by id.
    internal const string CreateRemovedVolume = """CREATE TEMP TABLE IF NOT EXISTS "RemovedVolume" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearRemovedVolume = """DELETE FROM temp."RemovedVolume" """;

    // Blocksets that lose a block or a blocklist with those volumes, by id.
    internal const string CreateRemovedBlockset = """CREATE TEMP TABLE IF NOT EXISTS "RemovedBlockset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearRemovedBlockset = """DELETE FROM temp."RemovedBlockset" """;

    // Metadata that is lost, with the filesets whose entries use it.
    internal const string CreateRemovedMetadata =
        """CREATE TEMP TABLE IF NOT EXISTS "RemovedMetadata" ("MetadataID" INTEGER NOT NULL, "FilesetID" INTEGER NOT NULL, PRIMARY KEY ("MetadataID", "FilesetID")) WITHOUT ROWID""";
    internal const string ClearRemovedMetadata = """DELETE FROM temp."RemovedMetadata" """;

    // FileLookup rows that are lost, by id.
    internal const string CreateRemovedFile = """CREATE TEMP TABLE IF NOT EXISTS "RemovedFile" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearRemovedFile = """DELETE FROM temp."RemovedFile" """;

    // Filesets that are lost, by id.
    internal const string CreateRemovedFileset = """CREATE TEMP TABLE IF NOT EXISTS "RemovedFileset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearRemovedFileset = """DELETE FROM temp."RemovedFileset" """;

    // Filesets a question is about, by id.
    internal const string CreateSelectedFileset = """CREATE TEMP TABLE IF NOT EXISTS "SelectedFileset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearSelectedFileset = """DELETE FROM temp."SelectedFileset" """;

    // Blocksets that those filesets use, by id.
    internal const string CreateSelectedBlockset = """CREATE TEMP TABLE IF NOT EXISTS "SelectedBlockset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearSelectedBlockset = """DELETE FROM temp."SelectedBlockset" """;

    // Volumes that the answer consists of, by id.
    internal const string CreateSelectedVolume = """CREATE TEMP TABLE IF NOT EXISTS "SelectedVolume" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearSelectedVolume = """DELETE FROM temp."SelectedVolume" """;
}
