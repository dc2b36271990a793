// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Notes what is put into and deleted from a folder and, in a dry run, does not do it. Several files may be put and deleted at a time, but
/// in a dry run.
/// </summary>
internal sealed class RecordingFolder(IRemoteFolder folder, bool dryRun) : ForwardingFolder(folder)
{
    private readonly List<string> m_put = [];
    private readonly List<string> m_deleted = [];
    private readonly List<(string From, string To)> m_moved = [];
    private readonly Dictionary<string, string> m_present = new(StringComparer.Ordinal);
    private readonly Lock m_lock = new();

    // What would be there if this were no dry run, once anything would have been changed.
    private Dictionary<string, RemoteFile>? m_there;

    public override int Concurrency => dryRun ? 1 : base.Concurrency;

    /// <summary>Names put so far, in order.</summary>
    internal IReadOnlyList<string> Put => m_put;

    /// <summary>Names deleted so far, in order.</summary>
    internal IReadOnlyList<string> Deleted => m_deleted;

    /// <summary>Old and new names of what was renamed so far, in order.</summary>
    internal IReadOnlyList<(string From, string To)> Moved => m_moved;

    public override async Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token) =>
        m_there is null
            ? await base.ListAsync(token).ConfigureAwait(false)
            : [.. m_there.Values.Where(x => VolumeName.Parse(x.Name) is not { IsLeftover: true })];

    public override async Task<IReadOnlyList<RemoteFile>> ListAllAsync(CancellationToken token) =>
        m_there is null ? await base.ListAllAsync(token).ConfigureAwait(false) : [.. m_there.Values];

    public override Task CreateAsync(CancellationToken token) => dryRun ? Task.CompletedTask : base.CreateAsync(token);

    public override Task GetAsync(string name, string localPath, CancellationToken token) => base.GetAsync(Present(name), localPath, token);

    public override Stream? OpenLocal(string name) => base.OpenLocal(Present(name));

    public override async Task PutAsync(string name, string localPath, CancellationToken token)
    {
        if (dryRun)
        {
            var file = new FileInfo(localPath);
            (await ThereAsync(token).ConfigureAwait(false))[name] = new RemoteFile(name, file.Length, file.LastWriteTimeUtc);
            file.Delete();
        }
        else
        {
            await base.PutAsync(name, localPath, token).ConfigureAwait(false);
        }

        lock (m_lock)
            m_put.Add(name);
    }

    public override async Task DeleteAsync(string name, CancellationToken token)
    {
        if (!dryRun)
            await base.DeleteAsync(name, token).ConfigureAwait(false);
        else if (!(await ThereAsync(token).ConfigureAwait(false)).Remove(name))
            throw new RemoteFileMissingException(Address, name);
        lock (m_lock)
            m_deleted.Add(name);
    }

    public override async Task MoveAsync(string from, string to, CancellationToken token)
    {
        if (!dryRun)
            await base.MoveAsync(from, to, token).ConfigureAwait(false);
        else if (!(await ThereAsync(token).ConfigureAwait(false)).TryGetValue(from, out var file))
            throw new RemoteFileMissingException(Address, from);
        else if (!m_there!.TryAdd(to, file with { Name = to }))
            throw new RemoteFileExistsException(Address, to);
        else
            m_there.Remove(from);
        lock (m_lock)
        {
            m_present[to] = Present(from);
            m_moved.Add((from, to));
        }
    }

    public override Task<int> RemoveLeftoversAsync(CancellationToken token) =>
        dryRun ? Task.FromResult(0) : base.RemoveLeftoversAsync(token);

    // In a dry run a file is still where it was.
    private string Present(string name)
    {
        lock (m_lock)
            return dryRun ? m_present.GetValueOrDefault(name, name) : name;
    }

    private async Task<Dictionary<string, RemoteFile>> ThereAsync(CancellationToken token) =>
        m_there ??= (await base.ListAllAsync(token).ConfigureAwait(false)).ToDictionary(x => x.Name, StringComparer.Ordinal);
}
