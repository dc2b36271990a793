// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>Makes several writes one: all of them become durable, or none.</summary>
internal static class SyncTransaction
{
    // Takes the write lock.
    private const string ChangeNothing = """UPDATE "RemoteInventory" SET "Size" = "Size" WHERE "ID" = -1""";

    /// <summary>Runs an action in a new transaction that takes the write lock at once.</summary>
    /// <exception cref="InvalidOperationException">A transaction is open already.</exception>
    internal static async Task RunAsync(DatabaseSession session, Func<CancellationToken, Task> action, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(action);
        using var transaction = await session
            .ShortAsync(Begin, token, nameof(LocalSyncDatabase.ExecuteInTransactionAsync))
            .ConfigureAwait(false);
        try
        {
            await action(token).ConfigureAwait(false);
            ProviderTransaction.Commit(transaction);
            session.ReportCommit();
        }
        catch (Exception ex)
        {
            RollBack(transaction);
            session.ReportRollback();
            ExceptionDispatchInfo.Throw(ex);
        }
    }

    /// <summary>Runs statements in the open transaction, or else in one of their own. Call with the connection lock held.</summary>
    internal static void Run(DatabaseSession session, Action action)
    {
        if (!session.Statements.IsAutoCommit)
        {
            action();
            return;
        }

        using var transaction = Begin(session);
        try
        {
            action();
            ProviderTransaction.Commit(transaction);
        }
        catch
        {
            RollBack(transaction);
            throw;
        }

        session.ReportCommit();
    }

    // The provider's own wait for the write lock could not be cancelled; that of a statement can.
    private static SqliteTransaction Begin(DatabaseSession session)
    {
        var transaction = session.Connection.BeginTransaction(deferred: true);
        try
        {
            session.Statements.Run(ChangeNothing);
            return transaction;
        }
        catch
        {
            ProviderTransaction.End(transaction);
            throw;
        }
    }

    // The error that led here is the one to report; the engine has rolled back if it cannot do so now.
    private static void RollBack(SqliteTransaction transaction)
    {
        try
        {
            ProviderTransaction.RollBack(transaction);
        }
        catch (Exception ex) when (ex is SqliteException or InvalidOperationException)
        {
            return;
        }
    }
}
