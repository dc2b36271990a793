// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Records;

internal static class ConfigurationSql
{
    // Small table, about ten rows.
    internal const string All = """SELECT "Key", "Value" FROM "Configuration" """;

    // The primary key's index.
    internal const string Has = """SELECT 1 FROM "Configuration" WHERE "Key" = ?1""";

    // The primary key's index.
    internal const string Set = """INSERT OR REPLACE INTO "Configuration" ("Key", "Value") VALUES (?1, ?2)""";

    // The primary key's index.
    internal const string Remove = """DELETE FROM "Configuration" WHERE "Key" = ?1""";

    // Small table, about ten rows.
    internal const string Clear = """DELETE FROM "Configuration" """;
}

internal static class LogRowSql
{
    // Appends by row id.
    internal const string InsertRemoteOperation =
        """INSERT INTO "RemoteOperation" ("OperationID", "Timestamp", "Operation", "Path", "Data") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Appends by row id.
    internal const string InsertMessage =
        """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Reads RemoteOperation, a history that is kept for a month.
    internal const string PurgeRemoteOperations = """DELETE FROM "RemoteOperation" WHERE "Timestamp" < ?1""";

    // Reads LogData, a history that is kept for a month.
    internal const string PurgeMessages = """DELETE FROM "LogData" WHERE "Timestamp" < ?1""";
}
