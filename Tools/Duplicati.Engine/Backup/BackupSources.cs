// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Backup;

/// <summary>
/// What a backup reads, and the disks that it was on when this was made: the paths given, and what is mounted below them. What has gone
/// with its disk looks as if it had been deleted, and retention would take such a version for a whole one.
/// </summary>
internal sealed class BackupSources
{
    private readonly List<(string Path, MountedFolder Folder)> m_roots;
    private readonly List<(string Path, MountedFolder Folder)> m_files;
    private readonly List<(string Path, MountedFolder Folder)> m_below = [];

    /// <param name="paths">The paths given.</param>
    /// <param name="scanner">What lists them.</param>
    /// <exception cref="UserInformationException">As <see cref="SourceScanner.Require"/>.</exception>
    internal BackupSources(IReadOnlyList<string> paths, SourceScanner scanner)
    {
        Paths = scanner.Require(paths);
        // What is left out may go: a shell gives all that fits a pattern.
        var wanted = Paths.Where(x => !scanner.LeavesOut(x)).ToLookup(SourceScanner.IsFolder);
        m_roots = wanted[true].Select(x => (x, new MountedFolder(x))).ToList();
        m_files = wanted[false].Select(x => (x, new MountedFolder(Path.GetDirectoryName(x)!))).ToList();
        foreach (var (root, _) in m_roots)
        {
            var below = MountedFolder.Below(root).Where(x => !scanner.LeavesOut(root, x) && Directory.Exists(x));
            m_below.AddRange(below.Select(x => (x, new MountedFolder(x))));
        }
    }

    /// <summary>The full paths, each once.</summary>
    internal IReadOnlyList<string> Paths { get; }

    /// <summary>What was mounted below the sources and has gone; nothing of it can be told from what was deleted.</summary>
    internal IReadOnlyList<string> Gone() => [.. m_below.Where(x => x.Folder.HasGone()).Select(x => x.Path).Distinct()];

    /// <summary>Fails if a source itself has gone with its disk, or a file with its folder; one that was deleted alone may go.</summary>
    /// <param name="hasFailed">Whether a disk has failed to give something, so that a source may be there and not be listed.</param>
    /// <exception cref="UserInformationException">Help id <c>SourceIsMissing</c>.</exception>
    internal void RequireThere(bool hasFailed)
    {
        var folder = m_roots.Find(x => x.Folder.HasGone() || (hasFailed && !SourceScanner.CanList(x.Path)));
        if ((folder.Path ?? m_files.Find(x => !SourceScanner.Exists(x.Path) && x.Folder.HasGone()).Path) is { } gone)
            throw new UserInformationException(
                $"The source {gone} went away during the backup. No version was made; run the same command again when it is back.",
                "SourceIsMissing"
            );
    }
}
