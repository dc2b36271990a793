// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Engine.Errors;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.Main.Operation.Restore;

namespace Duplicati.Engine.Restore;

/// <summary>
/// What a restore writes, with every target path checked. About 300 bytes an entry, and as many again for a file that is written.
/// </summary>
internal sealed class RestorePlan
{
    private HashSet<long>? m_withMetadata;

    // By name in any case; several where the file system tells them apart.
    private readonly Dictionary<string, List<string>> m_placed = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Regular files, by entry id.</summary>
    internal Dictionary<long, FileRequest> Files { get; } = [];

    /// <summary>Full target paths of the regular files that are written, by entry id; temporary ones until they are complete.</summary>
    internal Dictionary<long, string> Paths { get; } = [];

    /// <summary>
    /// Full target paths of the regular files that were there with the right content, by entry id; they get their metadata only.
    /// </summary>
    internal Dictionary<long, string> Present { get; } = [];

    /// <summary>Files and symbolic links that replace something that was there before, by entry id.</summary>
    internal HashSet<long> Replaced { get; } = [];

    /// <summary>Symbolic links: entry id and full target path.</summary>
    internal List<(long Id, string Path)> Symlinks { get; } = [];

    /// <summary>Folders with metadata: entry id and full target path.</summary>
    internal List<(long Id, string Path)> Folders { get; } = [];

    /// <summary>Target paths of entries that are not restored.</summary>
    internal List<string> LeftOut { get; } = [];

    /// <summary>Regular files that were there and are left as they are.</summary>
    internal List<(string Path, FileRequest File)> Skipped { get; } = [];

    /// <summary>Symbolic links that were there and are left as they are.</summary>
    internal int SkippedSymlinks { get; private set; }

    /// <summary>
    /// Reads the prepared list, leaving out with a warning what points outside the target. A target that is there already keeps its own
    /// metadata, unless it is the folder that was backed up.
    /// </summary>
    /// <param name="database">Has the list.</param>
    /// <param name="target">Where to.</param>
    /// <param name="isThere">Whether the target was there before the restore.</param>
    /// <param name="progress">Told what is left out.</param>
    /// <param name="token">Cancels.</param>
    internal static async Task<RestorePlan> ReadAsync(
        LocalRestoreDatabase database,
        RestoreTarget target,
        bool isThere,
        IEngineProgress progress,
        CancellationToken token
    )
    {
        var plan = new RestorePlan();
        await foreach (var file in database.GetFilesAndSymlinksToRestoreAsync(token).ConfigureAwait(false))
        {
            if (plan.Checked(target, file.TargetPath, progress) is not { } path)
                continue;

            if (file.BlocksetID == LocalDatabase.SYMLINK_BLOCKSET_ID)
            {
                plan.Symlinks.Add((file.ID, path));
            }
            else
            {
                plan.Files.Add(file.ID, file);
                plan.Paths.Add(file.ID, path);
            }
        }

        var keepsRoot = isThere && !target.Is(await database.GetLargestPrefixAsync(token).ConfigureAwait(false));
        await foreach (var folder in database.GetFolderMetadataToRestoreAsync(token).ConfigureAwait(false))
        {
            if (plan.Checked(target, folder.TargetPath, progress) is { } path && !(keepsRoot && target.Is(path)))
                plan.Folders.Add((folder.ID, path));
        }

        return plan;
    }

    /// <summary>Takes a regular file off the list; the others are restored.</summary>
    internal void LeaveOut(long id, IEngineProgress progress, string reason)
    {
        Files.Remove(id);
        Paths.Remove(id, out var path);
        LeftOut.Add(path!);
        progress.Warning($"Left out {path}: {reason}");
    }

    /// <summary>Takes a regular file off the list that is not where it belongs; why has been told.</summary>
    internal void Fail(long id, string path)
    {
        Files.Remove(id);
        Paths.Remove(id);
        LeftOut.Add(path);
    }

    /// <summary>Notes that a regular file is there with the right content.</summary>
    internal void Keep(long id, string path)
    {
        Paths.Remove(id);
        Present.Add(id, path);
        NotePlaced(path);
    }

    /// <summary>The full path of a regular file, whether it is written or was there.</summary>
    internal string PathOf(long id) => Paths.TryGetValue(id, out var path) ? path : Present[id];

    /// <summary>Notes the files and symbolic links that replace something; asked before anything is made.</summary>
    internal void NoteReplaced(Predicate<string> isReplaced) =>
        Replaced.UnionWith(Paths.Select(x => (x.Key, x.Value)).Concat(Symlinks).Where(x => isReplaced(x.Item2)).Select(x => x.Item1));

    /// <summary>Notes that a regular file or a symbolic link of the list is at a path; it is not replaced any more.</summary>
    internal void NotePlaced(string path)
    {
        if (Replaced.Count == 0)
            return;
        if (!m_placed.TryGetValue(path, out var paths))
            m_placed.Add(path, paths = []);
        paths.Add(path);
    }

    /// <summary>
    /// Whether an entry replaces what is at its path: that was there before, and is not another one of the list, which has the same name
    /// where case does not matter.
    /// </summary>
    internal bool Replaces(long id, string path) =>
        Replaced.Contains(id) && !(m_placed.TryGetValue(path, out var paths) && paths.Exists(x => TargetNames.AreOne(x, path)));

    /// <summary>Takes a regular file off the list because something is there already.</summary>
    internal void Skip(long id)
    {
        Files.Remove(id, out var file);
        Paths.Remove(id, out var path);
        Skipped.Add((path!, file!));
    }

    /// <summary>Takes the symbolic links off the list for which something is there already.</summary>
    internal void SkipSymlinks(Predicate<string> isTaken) => SkippedSymlinks += Symlinks.RemoveAll(x => isTaken(x.Path));

    /// <summary>Takes the folders off the list that were there already.</summary>
    internal void SkipFolders(Predicate<string> isMade) => Folders.RemoveAll(x => !isMade(x.Path));

    /// <summary>Whether a volume has a block that something on the list needs.</summary>
    internal bool Needs(VolumeNeed volume)
    {
        if (Skipped.Count + SkippedSymlinks + Present.Count == 0)
            return true;
        m_withMetadata ??= [.. Paths.Keys, .. Present.Keys, .. Symlinks.Select(x => x.Id), .. Folders.Select(x => x.Id)];
        foreach (var block in volume.Blocks)
        {
            foreach (var place in block.Uses.Span)
            {
                if (place.IsMetadata ? m_withMetadata.Contains(place.FileId) : Paths.ContainsKey(place.FileId))
                    return true;
            }
        }

        return false;
    }

    /// <summary>A target path, shown to lead nowhere else; null if it does, which is told.</summary>
    internal string? Checked(RestoreTarget target, string path, IEngineProgress progress)
    {
        try
        {
            return target.Check(path);
        }
        catch (UnsafePathException ex)
        {
            LeftOut.Add(path);
            progress.Warning(ex.Message);
            return null;
        }
    }
}
