// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>
/// A folder of any remote that the installed program rclone knows. Files that are named ahead are fetched many with one process into a
/// bounded, private folder; files that are put at the same time go with one process, and are looked at afterwards: size and, where the
/// remote has one that is known here, hash.
/// </summary>
internal sealed class RcloneFolder : IRemoteFolder
{
    private readonly RcloneCommands m_commands;
    private readonly CancellationTokenSource m_disposed = new();
    private readonly TemporaryFolder m_temporary;
    private readonly RcloneDownloads m_downloads;
    private readonly RcloneUploads m_uploads;

    // As last listed; a file that arrives with another size did not arrive whole.
    private readonly ConcurrentDictionary<string, long> m_sizes = new(StringComparer.Ordinal);
    private bool m_isDisposed;

    internal RcloneFolder(EngineOptions options, IEngineProgress progress)
    {
        var address = RcloneAddress.Parse(options.Remote);
        m_temporary = new TemporaryFolder();
        m_commands = new RcloneCommands(new RcloneProgram(options.RcloneProgram, options.Transfers), address);
        m_downloads = new RcloneDownloads(m_commands, m_temporary.Path, options.CacheSize, m_sizes, progress, m_disposed.Token);
        m_uploads = new RcloneUploads(m_commands, m_temporary.Path, m_disposed.Token);
        Concurrency = options.Transfers;
    }

    public string Address => m_commands.Address.ToString();

    public int Concurrency { get; }

    public Task CreateAsync(CancellationToken token) => m_commands.CreateAsync(token);

    public async Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token)
    {
        var entries = await m_commands.ListAsync(token).ConfigureAwait(false);
        // Of a name that is there twice nobody knows which one will come.
        var sizes = entries
            .GroupBy(x => x.Name, StringComparer.Ordinal)
            .Where(x => x.DistinctBy(y => y.Size).Count() == 1)
            .ToDictionary(x => x.Key, x => x.First().Size, StringComparer.Ordinal);
        // Downloads beside this one are held to them: they are there at every moment.
        foreach (var (name, size) in sizes)
            m_sizes[name] = size;
        foreach (var name in m_sizes.Keys.Except(sizes.Keys, StringComparer.Ordinal))
            m_sizes.TryRemove(name, out _);
        return [.. entries.Select(x => new RemoteFile(x.Name, x.Size, x.ModTime.ToUniversalTime()))];
    }

    public void Prefetch(IEnumerable<(string Name, long Size)> files) =>
        m_downloads.Plan(files.Where(x => RcloneEntry.IsUsable(x.Name)).Select(x => (x.Name, m_sizes.GetValueOrDefault(x.Name, x.Size))));

    public Task GetAsync(string name, string localPath, CancellationToken token) => m_downloads.GetAsync(Require(name), localPath, token);

    public Stream? OpenLocal(string name) => null;

    /// <inheritdoc/>
    /// <remarks>
    /// A remote that shows a file before it is complete may show a part of this one after a kill; its size differs then. Remotes make a
    /// folder that does not exist.
    /// </remarks>
    public async Task PutAsync(string name, string localPath, CancellationToken token)
    {
        m_sizes.TryRemove(Require(name), out _);
        await m_uploads.PutAsync(name, localPath, token).ConfigureAwait(false);
    }

    public async Task DeleteAsync(string name, CancellationToken token)
    {
        var result = await m_commands.DeleteAsync(Require(name), token).ConfigureAwait(false);
        m_sizes.TryRemove(name, out _);
        if (result.IsSuccess)
            return;
        await m_commands.RequireFileAsync(name, token).ConfigureAwait(false);
        throw RcloneFailure.Of(m_commands.Address, result);
    }

    public async Task MoveAsync(string from, string to, CancellationToken token)
    {
        var found = await m_commands.FindAsync([Require(from), Require(to)], [], token).ConfigureAwait(false);
        if (!found.Any(x => x.Name == from))
            await m_commands.RequireFileAsync(from, token).ConfigureAwait(false);
        if (found.Any(x => x.Name == to))
            throw new RemoteFileExistsException(Address, to);
        m_sizes.TryRemove(from, out _);
        await m_commands.MoveAsync(from, to, token).ConfigureAwait(false);
    }

    // What a killed rclone leaves under names of its own is no volume to anybody, and may be one that another process is putting.
    public Task<int> RemoveLeftoversAsync(CancellationToken token) => Task.FromResult(0);

    public void Dispose()
    {
        if (m_isDisposed)
            return;
        m_isDisposed = true;
        m_disposed.Cancel();
        m_downloads.WaitUntilIdle();
        m_uploads.WaitUntilIdle();
        m_temporary.Dispose();
        m_disposed.Dispose();
    }

    private static string Require(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return RcloneEntry.IsUsable(name) ? name : throw new InvalidRemoteNameException(name);
    }
}
