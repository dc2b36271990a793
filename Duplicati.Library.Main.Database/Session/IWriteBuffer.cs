// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Session;

/// <summary>Rows that a member has accepted but not yet written. A session writes them at its barriers.</summary>
internal interface IWriteBuffer
{
    /// <summary>Writes everything pending, using <see cref="DatabaseSession.TakeDirect"/>; called with the session's gate held.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">The engine refused a row. What was pending is forgotten; the transaction
    /// must be rolled back.</exception>
    void Flush();

    /// <summary>Rows that are pending now, for whoever looks at the memory in use. From any thread; may be a moment old.</summary>
    long PendingRows => 0;

    /// <summary>Forgets what is pending and every in-memory answer that rests on uncommitted rows. Called after a rollback.</summary>
    void Discard();
}
