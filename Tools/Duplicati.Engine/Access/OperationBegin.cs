// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Access;

/// <summary>
/// How an operation that writes stands beside others that are in no turn: tests and readers that record what they did, and programs that
/// call the data layer in their own order. What it decides on is read with the write lock, transaction by transaction, so that it is still
/// true when it is written.
/// </summary>
internal static class OperationBegin
{
    /// <summary>
    /// The begin: lets go of the lock that the database object holds from its opening on, and takes it from now on before the first
    /// read of each transaction. The operation is recorded by its first commit.
    /// </summary>
    internal static async Task BeginAsync(LocalDatabase database, CancellationToken token)
    {
        await database.Transaction.RollBackAsync(token).ConfigureAwait(false);
        database.Session.LocksFirst = true;
    }

    /// <summary>
    /// Lets go of the lock before something that may take long, as to list a remote folder does, if nothing waits to be committed. What was
    /// read before has to be read again.
    /// </summary>
    internal static Task LetOthersInAsync(LocalDatabase database, CancellationToken token) =>
        database.Session.HasNothingToCommit ? database.Transaction.RollBackAsync(token) : Task.CompletedTask;
}
