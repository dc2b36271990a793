using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Access;

/// <summary>
/// Lets the tasks of one operation use its database object one at a time, as core's operations do. Calls may arrive on any
/// thread; a call must not use the gate again inside.
/// </summary>
/// <typeparam name="T">The database type of the operation.</typeparam>
internal sealed class DatabaseGate<T>(T database) : IDisposable
    where T : LocalDatabase
{
    private readonly SemaphoreSlim m_semaphore = new(1, 1);

    /// <summary>The database, for code that is known to run alone.</summary>
    internal T Database { get; } = database;

    internal async Task<TResult> RunAsync<TResult>(Func<T, Task<TResult>> work, CancellationToken token)
    {
        await m_semaphore.WaitAsync(token).ConfigureAwait(false);
        try
        {
            return await work(Database).ConfigureAwait(false);
        }
        finally
        {
            m_semaphore.Release();
        }
    }

    internal async Task RunAsync(Func<T, Task> work, CancellationToken token)
    {
        await m_semaphore.WaitAsync(token).ConfigureAwait(false);
        try
        {
            await work(Database).ConfigureAwait(false);
        }
        finally
        {
            m_semaphore.Release();
        }
    }

    public void Dispose() => m_semaphore.Dispose();
}
