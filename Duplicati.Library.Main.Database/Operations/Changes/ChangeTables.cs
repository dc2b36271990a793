// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Changes;

/// <summary>
/// The temporary tables of comparing two versions. Each has a primary key or an index for every column that it is joined on.
/// </summary>
internal static class ChangeTables
{
    // {0} stands for the digits that end the names of both tables. Type: 0 folder, 1 symbolic link, 2 file.

    // Indexed by path, which a damaged list may have twice.
    private const string CreatePrevious = """
        CREATE TEMP TABLE "Previous-{0}" ("Path" TEXT NOT NULL, "FileHash" TEXT NULL, "MetaHash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Type" INTEGER NOT NULL);
        CREATE INDEX temp."Previous-{0}-Path" ON "Previous-{0}" ("Path")
        """;

    // Indexed by path, which a damaged list may have twice.
    private const string CreateCurrent = """
        CREATE TEMP TABLE "Current-{0}" ("Path" TEXT NOT NULL, "FileHash" TEXT NULL, "MetaHash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Type" INTEGER NOT NULL);
        CREATE INDEX temp."Current-{0}-Path" ON "Current-{0}" ("Path")
        """;

    internal static readonly TempTableTemplate Previous = new("Previous", CreatePrevious);
    internal static readonly TempTableTemplate Current = new("Current", CreateCurrent);
}
