// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database;

/// <summary>The end without a commit.</summary>
internal partial class ReusableTransaction
{
    /// <summary>Rolls back what was not committed. May be called more than once.</summary>
    public void Dispose()
    {
        lock (Session.ConnectionLock)
        {
            if (m_disposed)
                return;

            m_disposed = true;
            using (new Logging.Timer(LOGTAG, "Dispose", "Rollback during transaction dispose"))
                RollBackForDispose();
            Session.RolledBack();
            DisposeTransaction();
        }
    }

    /// <summary>Rolls back what was not committed. May be called more than once.</summary>
    public ValueTask DisposeAsync()
    {
        try
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
        catch (Exception ex)
        {
            return ValueTask.FromException(ex);
        }
    }

    private void RollBackForDispose()
    {
        try
        {
            RollBackProvider();
        }
        catch (InvalidOperationException ex)
        {
            Log.WriteWarningMessage(
                LOGTAG,
                "ReusableTransactionAlreadyCompleted",
                ex,
                "The transaction had been completed by someone else"
            );
        }
        catch (Exception ex)
        {
            Log.WriteErrorMessage(LOGTAG, "ReusableTransaction dispose", ex, "Failed to roll back the transaction: {0}", ex.Message);
            throw;
        }
    }

    private void DisposeTransaction()
    {
        try
        {
            ProviderTransaction.End(m_transaction);
        }
        catch (InvalidOperationException ex)
        {
            Log.WriteWarningMessage(LOGTAG, "ReusableTransactionAlreadyDisposed", ex, "The transaction had been disposed by someone else");
        }
    }
}
