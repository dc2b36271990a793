// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Paths;

internal static class PathSql
{
    // Index PathPrefixPrefix.
    internal const string Prefix = """SELECT "ID" FROM "PathPrefix" WHERE "Prefix" = ?1""";

    // Appends by row id.
    internal const string InsertPrefix = """INSERT INTO "PathPrefix" ("Prefix") VALUES (?1)""";
}
