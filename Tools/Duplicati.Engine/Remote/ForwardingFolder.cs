// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Remote;

/// <summary>A remote folder that leaves to another one whatever a class derived from it does not do itself.</summary>
/// <param name="folder">The other folder; disposed of together with this one.</param>
internal abstract class ForwardingFolder(IRemoteFolder folder) : IRemoteFolder
{
    public virtual string Address => folder.Address;

    public virtual int Concurrency => folder.Concurrency;

    public virtual Task CreateAsync(CancellationToken token) => folder.CreateAsync(token);

    public virtual Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token) => folder.ListAsync(token);

    public virtual Task<IReadOnlyList<RemoteFile>> ListAllAsync(CancellationToken token) => folder.ListAllAsync(token);

    public virtual void Prefetch(IEnumerable<(string Name, long Size)> files) => folder.Prefetch(files);

    public virtual Task GetAsync(string name, string localPath, CancellationToken token) => folder.GetAsync(name, localPath, token);

    public virtual Stream? OpenLocal(string name) => folder.OpenLocal(name);

    public virtual Task PutAsync(string name, string localPath, CancellationToken token) => folder.PutAsync(name, localPath, token);

    public virtual Task<int> RemoveLeftoversAsync(CancellationToken token) => folder.RemoveLeftoversAsync(token);

    public virtual Task DeleteAsync(string name, CancellationToken token) => folder.DeleteAsync(name, token);

    public virtual Task MoveAsync(string from, string to, CancellationToken token) => folder.MoveAsync(from, to, token);

    public virtual void Dispose() => folder.Dispose();
}
