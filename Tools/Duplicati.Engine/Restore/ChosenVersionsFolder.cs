// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.Engine.Restore;

/// <summary>
/// A remote folder as if it held the file lists of some versions only. As safe for concurrent use as the folder behind it.
/// </summary>
/// <param name="folder">The folder; disposed of together with this one.</param>
/// <param name="filelists">Names of the file lists that are seen.</param>
internal sealed class ChosenVersionsFolder(IRemoteFolder folder, IReadOnlySet<string> filelists) : IRemoteFolder
{
    /// <summary>Names of everything in the folder when it was listed last, of all versions.</summary>
    internal IReadOnlySet<string> Listed { get; private set; } = new HashSet<string>();

    public string Address => folder.Address;

    public int Concurrency => folder.Concurrency;

    public void Dispose() => folder.Dispose();

    public async Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token)
    {
        var files = await folder.ListAsync(token).ConfigureAwait(false);
        Listed = files.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        return [.. files.Where(x => VolumeName.Parse(x.Name)?.Type != RemoteVolumeType.Files || filelists.Contains(x.Name))];
    }

    public Task<IReadOnlyList<RemoteFile>> ListAllAsync(CancellationToken token) => folder.ListAllAsync(token);

    public void Prefetch(IEnumerable<(string Name, long Size)> files) => folder.Prefetch(files);

    public Task GetAsync(string name, string localPath, CancellationToken token) => folder.GetAsync(name, localPath, token);

    public Stream? OpenLocal(string name) => folder.OpenLocal(name);

    public Task CreateAsync(CancellationToken token) => folder.CreateAsync(token);

    public Task PutAsync(string name, string localPath, CancellationToken token) => folder.PutAsync(name, localPath, token);

    public Task<int> RemoveLeftoversAsync(CancellationToken token) => folder.RemoveLeftoversAsync(token);

    public Task DeleteAsync(string name, CancellationToken token) => folder.DeleteAsync(name, token);

    public Task MoveAsync(string from, string to, CancellationToken token) => folder.MoveAsync(from, to, token);
}
