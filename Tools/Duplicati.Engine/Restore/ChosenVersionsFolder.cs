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
internal sealed class ChosenVersionsFolder(IRemoteFolder folder, IReadOnlySet<string> filelists) : ForwardingFolder(folder)
{
    /// <summary>Names of everything in the folder when it was listed last, of all versions.</summary>
    internal IReadOnlySet<string> Listed { get; private set; } = new HashSet<string>();

    public override async Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token)
    {
        var files = await base.ListAsync(token).ConfigureAwait(false);
        Listed = files.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        return [.. files.Where(x => VolumeName.Parse(x.Name)?.Type != RemoteVolumeType.Files || filelists.Contains(x.Name))];
    }
}
