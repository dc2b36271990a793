// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
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

/// <summary>
/// The turn of an operation that changes a backup: of those on one database, in whatever processes, one runs and the others wait. What only
/// looks needs no turn, as the database alone keeps readers and a writer apart; but two that write would each find the other's
/// half-uploaded volumes, take them for left over, and delete them.
/// </summary>
internal sealed class OperationTurn : IDisposable
{
    /// <summary>What the name of the file ends with, after that of the database.</summary>
    internal const string Suffix = ".lock";

    private const int PauseMilliseconds = 50;

    private readonly HeldFile m_file;

    private OperationTurn(HeldFile file) => m_file = file;

    /// <summary>Waits for the turn, as long as it takes.</summary>
    /// <param name="databasePath">The database. Where no file can be made beside it, the operation will say so itself, and has its turn at
    /// once.</param>
    /// <param name="progress">Told once that there is a wait.</param>
    /// <param name="token">Ends the wait.</param>
    /// <returns>The turn; it ends when disposed.</returns>
    internal static Task<OperationTurn> TakeAsync(string databasePath, IEngineProgress progress, CancellationToken token) =>
        TakeAsync(databasePath, progress, static () => Task.CompletedTask, token);

    /// <summary>As above, for an operation that blocks.</summary>
    internal static OperationTurn Take(string databasePath, IEngineProgress progress, CancellationToken token) =>
        TakeAsync(databasePath, progress, token).GetAwaiter().GetResult();

    /// <summary>As above, with something to do before a wait.</summary>
    internal static async Task<OperationTurn> TakeAsync(
        string databasePath,
        IEngineProgress progress,
        Func<Task> waiting,
        CancellationToken token
    )
    {
        var path = PathOf(databasePath);
        for (var waited = false; ; waited = true)
        {
            token.ThrowIfCancellationRequested();
            if (HeldFile.TryTake(path) is { } file)
                return new OperationTurn(file);
            if (!waited)
            {
                await waiting().ConfigureAwait(false);
                progress.Message($"Waiting for another operation that works on {databasePath} at the moment");
            }

            await Task.Delay(PauseMilliseconds, token).ConfigureAwait(false);
        }
    }

    public void Dispose() => m_file.Dispose();

    // One file whatever link the database is reached through, as SQLite does it with its log.
    private static string PathOf(string databasePath)
    {
        var file = new FileInfo(databasePath);
        return (file.LinkTarget is null ? file.FullName : file.ResolveLinkTarget(returnFinalTarget: true)!.FullName) + Suffix;
    }
}
