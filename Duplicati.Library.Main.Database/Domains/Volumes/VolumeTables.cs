// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>
/// The temporary tables of questions about volumes and of their removal. Each has a primary key or an index for every column that it is
/// joined on.
/// </summary>
internal static class VolumeTables
{
    // Volumes a removal is about, by id.
    private const string CreateRemovedVolume = """CREATE TEMP TABLE IF NOT EXISTS "RemovedVolume" ("ID" INTEGER PRIMARY KEY)""";

    // Blocksets that lose a block or a blocklist with those volumes, by id.
    private const string CreateRemovedBlockset = """CREATE TEMP TABLE IF NOT EXISTS "RemovedBlockset" ("ID" INTEGER PRIMARY KEY)""";

    // Metadata that is lost, with the filesets whose entries use it.
    private const string CreateRemovedMetadata =
        """CREATE TEMP TABLE IF NOT EXISTS "RemovedMetadata" ("MetadataID" INTEGER NOT NULL, "FilesetID" INTEGER NOT NULL, PRIMARY KEY ("MetadataID", "FilesetID")) WITHOUT ROWID""";

    // FileLookup rows that are lost, by id.
    private const string CreateRemovedFile = """CREATE TEMP TABLE IF NOT EXISTS "RemovedFile" ("ID" INTEGER PRIMARY KEY)""";

    // Filesets that are lost, by id.
    private const string CreateRemovedFileset = """CREATE TEMP TABLE IF NOT EXISTS "RemovedFileset" ("ID" INTEGER PRIMARY KEY)""";

    // Filesets a question is about, by id.
    private const string CreateSelectedFileset = """CREATE TEMP TABLE IF NOT EXISTS "SelectedFileset" ("ID" INTEGER PRIMARY KEY)""";

    // Blocksets that those filesets use, by id.
    private const string CreateSelectedBlockset = """CREATE TEMP TABLE IF NOT EXISTS "SelectedBlockset" ("ID" INTEGER PRIMARY KEY)""";

    // Volumes that the answer consists of, by id.
    private const string CreateSelectedVolume = """CREATE TEMP TABLE IF NOT EXISTS "SelectedVolume" ("ID" INTEGER PRIMARY KEY)""";

    internal static readonly TempTable RemovedVolume = new("RemovedVolume", CreateRemovedVolume);
    internal static readonly TempTable RemovedBlockset = new("RemovedBlockset", CreateRemovedBlockset);
    internal static readonly TempTable RemovedMetadata = new("RemovedMetadata", CreateRemovedMetadata);
    internal static readonly TempTable RemovedFile = new("RemovedFile", CreateRemovedFile);
    internal static readonly TempTable RemovedFileset = new("RemovedFileset", CreateRemovedFileset);
    internal static readonly TempTable SelectedFileset = new("SelectedFileset", CreateSelectedFileset);
    internal static readonly TempTable SelectedBlockset = new("SelectedBlockset", CreateSelectedBlockset);
    internal static readonly TempTable SelectedVolume = new("SelectedVolume", CreateSelectedVolume);
}
