// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.ExceptionServices;

namespace Duplicati.Engine.Common;

/// <summary>Runs the tasks of an operation so that the first failure stops the others and is the one reported.</summary>
internal static class Pipeline
{
    /// <summary>Runs a stage on the thread pool. When it fails the others are stopped; <paramref name="atEnd"/> runs in any case.</summary>
    internal static Task GuardAsync(CancellationTokenSource stop, Func<Task> stage, Action? atEnd = null) =>
        Task.Run(async () =>
        {
            try
            {
                await stage().ConfigureAwait(false);
            }
            catch
            {
                await stop.CancelAsync().ConfigureAwait(false);
                throw;
            }
            finally
            {
                atEnd?.Invoke();
            }
        });

    /// <summary>Waits for all stages. Throws the first failure that is not a mere consequence of being stopped.</summary>
    internal static async Task WhenAllAsync(IReadOnlyList<Task> stages, CancellationToken token)
    {
        try
        {
            await Task.WhenAll(stages).ConfigureAwait(false);
        }
        catch (Exception) when (!token.IsCancellationRequested)
        {
            var failure = stages
                .Where(x => x.IsFaulted)
                .SelectMany(x => x.Exception!.Flatten().InnerExceptions)
                .FirstOrDefault(x => x is not OperationCanceledException);
            if (failure is not null)
                ExceptionDispatchInfo.Capture(failure).Throw();
            throw;
        }
    }
}
