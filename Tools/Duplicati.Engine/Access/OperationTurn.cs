// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Engine.Access;

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
