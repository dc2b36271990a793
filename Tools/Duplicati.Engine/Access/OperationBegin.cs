// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Access;

/// <summary>
/// The begin of an operation that writes. Its database object holds the write lock from its opening to its first commit, which keeps two of
/// them apart; here that is done by <see cref="OperationTurn"/>, and to list a remote folder may take long.
/// </summary>
internal static class OperationBegin
{
    /// <summary>
    /// Lets go of the lock, so that whoever only reads or tests can record what he does; the operation is recorded by its first commit.
    /// </summary>
    internal static Task LetOthersInAsync(LocalDatabase database, CancellationToken token) => database.Transaction.RollBackAsync(token);
}
