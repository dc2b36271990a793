// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.History;

/// <summary>The history of messages and of remote operations. Nothing here commits.</summary>
internal static class LogRowWrites
{
    // Appends by row id.
    private const string InsertRemoteOperation =
        """INSERT INTO "RemoteOperation" ("OperationID", "Timestamp", "Operation", "Path", "Data") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Appends by row id.
    private const string InsertMessage =
        """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Reads RemoteOperation, a history that is kept for a month.
    internal const string PurgeRemoteOperations = """DELETE FROM "RemoteOperation" WHERE "Timestamp" < ?1""";

    // Reads LogData, a history that is kept for a month.
    private const string PurgeMessages = """DELETE FROM "LogData" WHERE "Timestamp" < ?1""";

    /// <summary>The type of a row that holds the result of an operation.</summary>
    internal const string RESULT = "Result";

    /// <summary>Records what was done at the remote end, with the current second.</summary>
    internal static void AddRemoteOperation(DatabaseSession session, Func<long> operationId, string operation, string path, string? data) =>
        Add(session, InsertRemoteOperation, operationId, operation, path, data);

    /// <summary>Records a message, with the current second.</summary>
    internal static void AddMessage(DatabaseSession session, Func<long> operationId, string type, string message, Exception? exception) =>
        Add(session, InsertMessage, operationId, type, message, exception?.ToString());

    private static void Add(DatabaseSession session, string sql, Func<long> operationId, string kind, string text, string? more)
    {
        var now = Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(DateTime.UtcNow);
        session.WriteOrHold(() =>
        {
            var id = operationId();
            using var insert = session.Take(sql);
            insert.Bind(1, id).Bind(2, now).Bind(3, kind).Bind(4, text).Bind(5, more).ExecuteNonQuery();
        });
    }

    /// <summary>Deletes messages and remote operations older than a time.</summary>
    internal static void Purge(DatabaseSession session, DateTime threshold)
    {
        var seconds = Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(threshold);
        using (var messages = session.Take(PurgeMessages))
            messages.Bind(1, seconds).ExecuteNonQuery();
        using var operations = session.Take(PurgeRemoteOperations);
        operations.Bind(1, seconds).ExecuteNonQuery();
    }
}

/// <summary>
/// The operations that change nothing but the history, by their text in table Operation. They are recorded with their first commit, so that
/// they run beside one that writes. All others, also unknown ones, are recorded at once, and so begin one after the other.
/// </summary>
internal static class ReadingOperations
{
    private static readonly HashSet<string> s_names = new(StringComparer.Ordinal)
    {
        "BugReportCreate",
        "List",
        "ListAffected",
        "ListBrokenFiles",
        "ListChanges",
        "ListControlFiles",
        "list-remote",
        "Restore",
        "RestoreControlFiles",
        "Verify",
    };

    /// <summary>Whether an operation is one of them.</summary>
    internal static bool Contains(string operation) => s_names.Contains(operation);
}
