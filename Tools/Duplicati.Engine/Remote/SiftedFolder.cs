// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Remote;

/// <summary>
/// A remote folder that lists each name once, and nothing that other programs have left: parts of uploads, copies of editors. What it
/// leaves out it tells once. As safe for concurrent use as the folder behind it.
/// </summary>
/// <param name="folder">The folder; disposed of together with this one.</param>
/// <param name="progress">Told what is left out.</param>
internal sealed class SiftedFolder(IRemoteFolder folder, IEngineProgress progress) : ForwardingFolder(folder)
{
    private int m_told;

    public override async Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token)
    {
        var (files, leftovers, repeated) = await SiftAsync(token).ConfigureAwait(false);
        if (leftovers.Count + repeated.Count > 0 && Interlocked.Exchange(ref m_told, 1) == 0)
            Tell(leftovers.ConvertAll(x => x.Name), repeated);
        return files;
    }

    public override async Task<IReadOnlyList<RemoteFile>> ListAllAsync(CancellationToken token)
    {
        var (files, leftovers, _) = await SiftAsync(token).ConfigureAwait(false);
        return [.. files, .. leftovers.DistinctBy(x => x.Name)];
    }

    private async Task<(IReadOnlyList<RemoteFile> Files, List<RemoteFile> Leftovers, HashSet<string> Repeated)> SiftAsync(
        CancellationToken token
    )
    {
        var files = new Dictionary<string, RemoteFile>(StringComparer.Ordinal);
        var leftovers = new List<RemoteFile>();
        var repeated = new HashSet<string>(StringComparer.Ordinal);
        foreach (var file in await base.ListAsync(token).ConfigureAwait(false))
        {
            if (VolumeName.Parse(file.Name) is { IsLeftover: true })
            {
                leftovers.Add(file);
            }
            else if (!files.TryAdd(file.Name, file))
            {
                repeated.Add(file.Name);
                files[file.Name] = Merge(files[file.Name], file);
            }
        }

        return ([.. files.Values], leftovers, repeated);
    }

    // The newest one stands for all: an upload that was tried again comes last.
    private static RemoteFile Merge(RemoteFile known, RemoteFile other)
    {
        var (chosen, rest) = other.LastWrite > known.LastWrite ? (other, known) : (known, other);
        return chosen with { OtherSizes = [.. known.OtherSizes.Append(rest.Size).Where(x => x != chosen.Size).Distinct()] };
    }

    private void Tell(List<string> leftovers, HashSet<string> repeated)
    {
        if (leftovers.Count > 0)
            progress.Warning(
                $"Passed over {SizeText.Count(leftovers.Count, "file")} at {Address} that an upload or another program has left, first {leftovers.Min(StringComparer.Ordinal)}"
            );
        if (repeated.Count > 0)
            progress.Warning(
                $"Listed more than once at {Address}: {SizeText.Count(repeated.Count, "name")}, first {repeated.Min(StringComparer.Ordinal)}; what has the recorded size and hash is taken"
            );
    }
}
