// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// The end of the provider's transactions on a connection that other threads may use. To end one, the provider frees what the engine's
/// rollback hook points to before it removes the hook. If the engine rolls back for a statement of another thread in between (a conflict,
/// a full disk, an interrupt), it calls into freed memory, which ends the process. Here the engine forgets the hook first; it does so under
/// the connection's own lock. Source: https://www.sqlite.org/c3ref/commit_hook.html.
/// </summary>
/// <remarks>One thread at a time; others may run statements on the connection meanwhile.</remarks>
internal static unsafe class ProviderTransaction
{
    /// <summary>Commits.</summary>
    /// <param name="transaction">The transaction.</param>
    /// <exception cref="SqliteException">The engine could not commit.</exception>
    /// <exception cref="System.InvalidOperationException">It has ended already, be it by the engine.</exception>
    public static void Commit(SqliteTransaction transaction)
    {
        RemoveHook(transaction);
        transaction.Commit();
    }

    /// <summary>Rolls back.</summary>
    /// <param name="transaction">The transaction.</param>
    /// <exception cref="SqliteException">The engine could not roll back.</exception>
    /// <exception cref="System.InvalidOperationException">It has ended already.</exception>
    public static void RollBack(SqliteTransaction transaction)
    {
        RemoveHook(transaction);
        transaction.Rollback();
    }

    /// <summary>Rolls back if it has not ended, and disposes of the object.</summary>
    /// <param name="transaction">The transaction.</param>
    public static void End(SqliteTransaction transaction)
    {
        RemoveHook(transaction);
        transaction.Dispose();
    }

    private static void RemoveHook(SqliteTransaction transaction)
    {
        if (transaction.Connection?.Handle is { IsInvalid: false } handle)
            _ = NativeSqlite.RollbackHook(handle.DangerousGetHandle(), null, 0);
    }
}
