// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.ExceptionServices;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>
/// Lets the tasks of one operation use its database object one at a time, as core's operations do. Calls may arrive on any
/// thread; a call must not make another one inside. When the database has failed, as on a full disk, it has lost what was not
/// committed: what fails after that fails because of it, and is reported as that failure.
/// </summary>
/// <typeparam name="T">The database type of the operation.</typeparam>
internal sealed class SharedDatabase<T>(T database) : IDisposable
    where T : LocalDatabase
{
    private readonly SemaphoreSlim m_semaphore = new(1, 1);
    private ExceptionDispatchInfo? m_failure;

    /// <summary>The database, for code that is known to run alone.</summary>
    internal T Database { get; } = database;

    internal async Task<TResult> RunAsync<TResult>(Func<T, Task<TResult>> work, CancellationToken token)
    {
        await m_semaphore.WaitAsync(token).ConfigureAwait(false);
        try
        {
            return await work(Database).ConfigureAwait(false);
        }
        catch (SqliteException ex) when (m_failure is null)
        {
            m_failure = ExceptionDispatchInfo.Capture(ex);
            throw;
        }
        catch (Exception ex) when (m_failure is not null && ex is not OperationCanceledException)
        {
            m_failure.Throw();
            throw;
        }
        finally
        {
            m_semaphore.Release();
        }
    }

    internal Task RunAsync(Func<T, Task> work, CancellationToken token) =>
        RunAsync(
            async database =>
            {
                await work(database).ConfigureAwait(false);
                return true;
            },
            token
        );

    public void Dispose() => m_semaphore.Dispose();
}
