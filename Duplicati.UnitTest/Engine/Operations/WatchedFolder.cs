// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A remote folder that tells before it fetches a file.</summary>
internal class WatchedFolder(IRemoteFolder folder, Action<string> fetching) : IRemoteFolder
{
    public string Address => folder.Address;

    public int Concurrency => folder.Concurrency;

    public Task CreateAsync(CancellationToken token) => folder.CreateAsync(token);

    public virtual Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token) => folder.ListAsync(token);

    public void Prefetch(IEnumerable<(string Name, long Size)> files) => folder.Prefetch(files);

    public Task GetAsync(string name, string localPath, CancellationToken token)
    {
        fetching(name);
        return folder.GetAsync(name, localPath, token);
    }

    public virtual Stream? OpenLocal(string name)
    {
        fetching(name);
        return folder.OpenLocal(name);
    }

    public virtual Task PutAsync(string name, string localPath, CancellationToken token) => folder.PutAsync(name, localPath, token);

    public Task<int> RemoveLeftoversAsync(CancellationToken token) => folder.RemoveLeftoversAsync(token);

    public virtual Task DeleteAsync(string name, CancellationToken token) => folder.DeleteAsync(name, token);

    public virtual Task MoveAsync(string from, string to, CancellationToken token) => folder.MoveAsync(from, to, token);

    public virtual void Dispose()
    {
        // The folder belongs to the operation.
    }
}
