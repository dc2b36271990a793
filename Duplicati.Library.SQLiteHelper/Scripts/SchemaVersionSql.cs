// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Scripts;

/// <summary>The statements about versions: of the schema and of the engine.</summary>
internal static class SchemaVersionSql
{
    /// <summary>Objects of any type that are named like the version table. Scans the schema table, a few dozen rows.</summary>
    public const string COUNT_VERSION_OBJECTS = """SELECT COUNT(*) FROM "sqlite_master" WHERE "name" LIKE 'Version'""";

    /// <summary>The version of the schema. Scans the version table, one row.</summary>
    public const string READ_VERSION = """SELECT MAX("Version") FROM "Version" """;

    /// <summary>Records a version. Scans the version table, one row.</summary>
    public const string SET_VERSION = """UPDATE "Version" SET "Version" = $version""";

    /// <summary>The version of the engine. Reads no table.</summary>
    public const string READ_ENGINE_VERSION = "SELECT sqlite_version()";
}
