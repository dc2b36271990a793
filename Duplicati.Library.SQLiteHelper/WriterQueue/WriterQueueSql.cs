// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.WriterQueue;

/// <summary>The statements around the works of a group. None reads a table.</summary>
internal static class WriterQueueSql
{
    /// <summary>
    /// Takes the write lock at once: a work that reads before it writes must not find that another connection has written meanwhile.
    /// </summary>
    internal const string Begin = "BEGIN IMMEDIATE";

    internal const string Commit = "COMMIT";

    internal const string Rollback = "ROLLBACK";

    /// <summary>The begin of one work.</summary>
    internal const string Savepoint = """SAVEPOINT "QueuedWork" """;

    /// <summary>Undoes one work; the savepoint stays.</summary>
    internal const string RollbackToSavepoint = """ROLLBACK TO "QueuedWork" """;

    /// <summary>The end of one work.</summary>
    internal const string Release = """RELEASE "QueuedWork" """;

    internal const string ReadJournalMode = "PRAGMA journal_mode";

    internal const string ReadSynchronous = "PRAGMA synchronous";
}
