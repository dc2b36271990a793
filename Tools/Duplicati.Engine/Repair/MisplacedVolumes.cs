// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Gives files their names back that lie in the folder under other ones. Nothing is deleted: what is in the way gets the name of a damaged
/// volume, so that the
/// next repair finds everything after a kill.
/// </summary>
internal sealed class MisplacedVolumes(RepairContext context, IRemoteFolder folder)
{
    // What a volume is called, and what the file is called now that has its content.
    private readonly Dictionary<string, string> m_found = new(StringComparer.Ordinal);

    /// <summary>Puts volumes right that are missing or not as they were uploaded, as far as their content is found.</summary>
    /// <param name="wrong">The volumes. Those that turn out to be wrong, too, are added, and those that are right again taken out.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Names of files that have another one now.</returns>
    /// <exception cref="RemoteFileUnreadableException">One may lie in a file that cannot be fetched for now; nothing was done.</exception>
    internal async Task<IReadOnlySet<string>> PutRightAsync(List<RemoteVolumeEntry> wrong, CancellationToken token)
    {
        m_found.Clear();
        if (wrong.Count == 0)
            return m_found.Keys.ToHashSet();
        var known = await context
            .Database.GetRemoteVolumesAsync(token)
            .Where(x => x.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified)
            .ToDictionaryAsync(x => x.Name, StringComparer.Ordinal, token)
            .ConfigureAwait(false);
        var contents = new MisplacedContents(folder, context.Downloader);
        var suspects = wrong.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        for (var i = 0; i < wrong.Count; i++)
        {
            var volume = wrong[i];
            if (
                volume.Size < 0
                || string.IsNullOrEmpty(volume.Hash)
                || await contents.FindAsync(volume.Name, volume.Hash, volume.Size, suspects, context.Progress, token).ConfigureAwait(false)
                    is not { } file
            )
                continue;
            // One that is another volume's, too, is where it belongs.
            var isKnown = known.TryGetValue(file, out var other);
            if (isKnown && other.Hash == volume.Hash)
                continue;
            m_found.Add(volume.Name, file);
            // The file that should have this name has another one, or none.
            if (isKnown && suspects.Add(file))
                wrong.Add(other);
        }

        var moved = m_found.Values.ToHashSet(StringComparer.Ordinal);
        await RenameAsync(token).ConfigureAwait(false);
        wrong.RemoveAll(x => m_found.ContainsKey(x.Name));
        return moved;
    }

    private async Task RenameAsync(CancellationToken token)
    {
        if (m_found.Count == 0)
            return;
        CommittedRows.Flush(context.Database);
        var taken = (await folder.ListAsync(token).ConfigureAwait(false)).Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        foreach (var name in m_found.Keys.ToList())
        {
            if (taken.Contains(name))
                await MakeRoomAsync(name, taken, token).ConfigureAwait(false);
            var from = m_found[name];
            await folder.MoveAsync(from, name, token).ConfigureAwait(false);
            taken.Remove(from);
            taken.Add(name);
            context.Progress.Warning($"{from} held what was uploaded as {name}, and has that name again");
        }
    }

    private async Task MakeRoomAsync(string name, HashSet<string> taken, CancellationToken token)
    {
        var aside = DamagedVolumes.FreeName(name, taken);
        await folder.MoveAsync(name, aside, token).ConfigureAwait(false);
        taken.Remove(name);
        taken.Add(aside);
        foreach (var other in m_found.Where(x => x.Value == name).Select(x => x.Key).ToList())
            m_found[other] = aside;
    }
}
