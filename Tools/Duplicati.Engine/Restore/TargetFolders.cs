// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Data;
using Duplicati.Engine.Remote;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Restore;

/// <summary>
/// Makes the folders of a restore. Nobody else gets into one before it has its own permissions, or at the end those of any new folder. One
/// that cannot be made is left out with everything in it, and told once. Not thread-safe.
/// </summary>
internal sealed class TargetFolders
{
    private readonly string m_root;
    private readonly HashSet<string> m_made = new(StringComparer.Ordinal);
    private readonly Dictionary<string, (string Reason, int Entries)> m_failed = new(StringComparer.Ordinal);

    /// <param name="root">The folder that is restored to; made if missing.</param>
    /// <exception cref="UserInformationException">A file is where it must be; help id <c>RestoreTargetInTheWay</c>.</exception>
    internal TargetFolders(string root)
    {
        m_root = root;
        if (Directory.Exists(root))
            return;
        RestoreTarget.MakeFolder(Path.GetDirectoryName(root) ?? root);
        try
        {
            Make(root);
        }
        catch (IOException) when (File.Exists(root))
        {
            RestoreTarget.MakeFolder(root);
        }
    }

    /// <summary>Fails if the folder to restore into is the remote one: restored files would lie between volumes.</summary>
    /// <exception cref="UserInformationException">Help id <c>RestoreTargetIsRemote</c>.</exception>
    internal static void RefuseRemote(string target, EngineOptions options)
    {
        var comparison = OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;
        if (LocalFolder.PathOf(options) is { } remote && RealPath.Of(target).Equals(RealPath.Of(remote), comparison))
            throw new UserInformationException(
                $"{target} is the remote folder: restored files would lie between its volumes. Give another --target.",
                "RestoreTargetIsRemote"
            );
    }

    /// <summary>What could not be made is tried again, as the first time.</summary>
    internal void TryAgain() => m_failed.Clear();

    /// <summary>Makes the folder of a checked path, and those above it.</summary>
    /// <returns>False if it cannot be made.</returns>
    /// <exception cref="IOException">There is no space left.</exception>
    internal bool TryMake(string path)
    {
        if (FirstFailed(path) is not { } failed)
            return true;
        m_failed[failed] = m_failed[failed] with { Entries = m_failed[failed].Entries + 1 };
        return false;
    }

    /// <summary>
    /// Whether a folder is there. Below the root a link to one is none: what is restored would lie elsewhere, or change it.
    /// </summary>
    internal bool IsThere(string path) => path.Length > m_root.Length ? TargetNames.IsFolder(path) : Directory.Exists(path);

    /// <summary>Whether a folder was made by this restore.</summary>
    internal bool IsMade(string path) => m_made.Contains(path);

    /// <summary>Tells the folders that could not be made.</summary>
    internal void Report(IEngineProgress progress)
    {
        foreach (var (path, (reason, entries)) in m_failed.OrderBy(x => x.Key, StringComparer.Ordinal))
            progress.Warning($"Left out the folder {path}, {SizeText.Count(entries, "entry")} with those in it: {reason}");
    }

    /// <summary>Gives the folders that were made the permissions of any new one.</summary>
    /// <param name="modes">What new folders get.</param>
    /// <param name="others">Folders that have their own, or are to have them.</param>
    internal void Open(NewModes modes, IEnumerable<string> others)
    {
        // One may have gone meanwhile, or be somebody else's now: nothing of the restore is in it.
        foreach (var folder in m_made.Except(others))
            Attempt.Do(() => modes.ApplyToFolder(folder));
    }

    // The folder nearest to the root that cannot be made; null if all can.
    private string? FirstFailed(string path)
    {
        if (m_failed.ContainsKey(path))
            return path;
        if (IsThere(path))
            return null;
        if (Path.GetDirectoryName(path) is { } parent && FirstFailed(parent) is { } failed)
            return failed;
        try
        {
            // A link to a folder counts as one for those who make it.
            if (TargetNames.IsTaken(path))
                throw new IOException("something else is in the way");
            Make(path);
            return null;
        }
        catch (Exception ex) when ((ex is IOException or UnauthorizedAccessException) && !DiskSpace.IsExhausted(ex))
        {
            m_failed[path] = (Path.Exists(path) || TargetNames.IsLink(path) ? "something else is in the way" : ex.Message, 0);
            return path;
        }
    }

    private void Make(string path)
    {
        if (OperatingSystem.IsWindows())
            Directory.CreateDirectory(path);
        else
            Directory.CreateDirectory(path, NewModes.PrivateFolder);
        m_made.Add(path);
    }
}
