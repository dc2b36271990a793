// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Data;

namespace Duplicati.Engine.Restore;

/// <summary>
/// Gives what is restored its metadata: files before they get their names, then symbolic links, then folders from the deepest up, so that
/// no later write changes a time again. What went wrong in the same way with several is told once. Not thread-safe.
/// </summary>
/// <remarks>
/// Metadata that say nothing count as lost: nobody knows what was private. Links keep their own metadata, and what they lead to is not
/// touched. From the first link on, every path is checked again: it may lead through a link of the same list.
/// </remarks>
/// <param name="plan">What is restored.</param>
/// <param name="target">Where to.</param>
/// <param name="folders">Makes the folders of links.</param>
/// <param name="temporary">What the volumes gave, and a folder for temporary files.</param>
/// <param name="progress">Told what could not be applied.</param>
/// <param name="versionTime">The time of the version, for links that have to take another name.</param>
/// <param name="withPrivileges">Whether owners, and attributes that give rights, are restored.</param>
internal sealed class MetadataWriter(
    RestorePlan plan,
    RestoreTarget target,
    TargetFolders folders,
    (MetadataSpool Spool, string Folder) temporary,
    IEngineProgress progress,
    DateTime versionTime,
    bool withPrivileges
)
{
    private readonly NewModes m_modes = new(temporary.Folder);
    private readonly SortedDictionary<string, (string First, int Count)> m_problems = new(StringComparer.Ordinal);

    /// <summary>Applies that of a file that was made, under the name that it has so far.</summary>
    /// <param name="id">Its entry.</param>
    /// <param name="path">The name it is to have.</param>
    internal void Seal(long id, string path) => Apply(id, plan.Paths[id], path, m_modes.ApplyToFile);

    /// <summary>Applies everything else. Links that could not be made fail.</summary>
    /// <returns>How many links were made, or were there.</returns>
    internal int Apply()
    {
        foreach (var (id, path) in plan.Present)
            Apply(id, path, path, null);
        var links = 0;
        foreach (var (id, path) in plan.Symlinks)
        {
            if (plan.Checked(target, path, progress) is not { } name || TryMakeLink(id, name) is not { } made)
                continue;
            plan.NotePlaced(made);
            Apply(id, made, made, null);
            links++;
        }

        foreach (var (id, path) in plan.Folders.OrderByDescending(x => x.Path.Length))
        {
            if (plan.Checked(target, path, progress) is not null && folders.IsThere(path))
                Apply(id, path, path, folders.IsMade(path) ? m_modes.ApplyToFolder : null);
        }

        Leave();
        Report();
        return links;
    }

    /// <summary>Gives folders of which the backup knows nothing the permissions of any new one.</summary>
    internal void Leave() => folders.Open(m_modes, plan.Folders.Select(x => x.Path));

    private void Apply(long id, string path, string shown, Action<string>? applyNewMode)
    {
        if (Read(id) is not { Values.Count: > 0 } metadata)
        {
            if (applyNewMode is not null)
                Note("It has no metadata in the backup, or they are lost; it is its owner's alone.", shown);
            return;
        }

        // A link may lead nowhere.
        if (!TargetNames.IsTaken(path))
            return;
        foreach (var problem in MetadataApplier.Apply(path, metadata, withPrivileges))
            Note(problem, shown);
        if (!withPrivileges && metadata.ExtendedAttributes.Any(x => MetadataApplier.IsPrivilege(x.Key)))
            Note("Attributes that give rights, or say whom to trust, are not restored without --restore-privileges.", shown);
        if (metadata.OwnerAndMode is null)
            applyNewMode?.Invoke(path);
    }

    private void Note(string problem, string path)
    {
        var known = m_problems.GetValueOrDefault(problem, (path, 0));
        m_problems[problem] = known with { Item2 = known.Item2 + 1 };
    }

    private void Report()
    {
        foreach (var (problem, (first, count)) in m_problems)
            progress.Warning(count == 1 ? $"{first}: {problem}" : $"{first}, and {count - 1} others: {problem}");
    }

    // The name that it has got; null if it fails.
    private string? TryMakeLink(long id, string path)
    {
        if (!folders.TryMake(Path.GetDirectoryName(path)!))
        {
            plan.LeftOut.Add(path);
            return null;
        }

        try
        {
            if (Read(id)?.SymlinkTarget is not { Length: > 0 } leadsTo)
                throw new IOException("its metadata names no target, or is lost");
            if (leadsTo.Contains('\0', StringComparison.Ordinal))
                throw new IOException("no link can lead to a name with a NUL character");
            return MakeLink(id, path, leadsTo);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            plan.LeftOut.Add(path);
            progress.Warning($"Left out the symbolic link {path}: {ex.Message}");
            return null;
        }
    }

    // What is there stays until the link has been made under another name.
    private string MakeLink(long id, string path, string leadsTo)
    {
        if (new FileInfo(path).LinkTarget == leadsTo)
            return path;
        var made = TargetNames.Temporary(path, leadsTo);
        if (TargetNames.IsLink(made))
            File.Delete(made);
        File.CreateSymbolicLink(made, leadsTo);
        try
        {
            if (!TargetNames.IsTaken(path))
            {
                Move(made, path, overwrite: false);
            }
            else if (plan.Replaces(id, path))
            {
                Replace(made, path);
            }
            else
            {
                var free = TargetNames.Free(path, versionTime);
                progress.Warning($"{path} is something else already; restoring the symbolic link to {free}");
                Move(made, free, overwrite: false);
                return free;
            }

            return path;
        }
        catch
        {
            File.Delete(made);
            throw;
        }
    }

    private static void Replace(string made, string path)
    {
        if (!Directory.Exists(made))
        {
            Move(made, path, overwrite: true);
            return;
        }

        // The runtime moves a link to a folder as a folder, and then over nothing.
        var old = TargetNames.Temporary(path, "");
        Move(path, old, overwrite: true);
        try
        {
            Move(made, path, overwrite: false);
        }
        catch
        {
            Move(old, path, overwrite: false);
            throw;
        }

        File.Delete(old);
    }

    private static void Move(string made, string path, bool overwrite)
    {
        if (Directory.Exists(made))
            Directory.Move(made, path);
        else
            File.Move(made, path, overwrite);
    }

    private MetadataBlob? Read(long id) =>
        temporary.Spool.Read(id) is { } content && MetadataBlob.TryParse(content, out var metadata) ? metadata : null;
}
