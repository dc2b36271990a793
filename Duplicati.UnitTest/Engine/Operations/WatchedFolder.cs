// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A remote folder that tells before it fetches a file.</summary>
internal class WatchedFolder(IRemoteFolder folder, Action<string> fetching) : ForwardingFolder(folder)
{
    public override Task<IReadOnlyList<RemoteFile>> ListAllAsync(CancellationToken token) => ListAsync(token);

    public override Task GetAsync(string name, string localPath, CancellationToken token)
    {
        fetching(name);
        return base.GetAsync(name, localPath, token);
    }

    public override Stream? OpenLocal(string name)
    {
        fetching(name);
        return base.OpenLocal(name);
    }
}
