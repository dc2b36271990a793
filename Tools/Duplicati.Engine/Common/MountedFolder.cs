// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Common;

/// <summary>
/// Tells a folder from the one that is in its place when its disk is unmounted, from when this is made on, or from when the folder is
/// there. Thread-safe; on systems other than Linux only whether it is there.
/// </summary>
/// <param name="path">The folder.</param>
internal sealed class MountedFolder(string path)
{
    private Disk? m_disk = DiskOf(path);

    // Where it is mounted: the uppermost folder on the way to this one that is on it.
    private sealed record Disk(ulong Device, string MountPoint);

    /// <summary>The places below a folder where something is mounted, as paths that begin with that folder's. None where that cannot be
    /// told.</summary>
    /// <param name="folder">Its full path; links on the way to it are followed.</param>
    internal static IReadOnlyList<string> Below(string folder)
    {
        if (!OperatingSystem.IsLinux())
            return [];
        var real = RealPath.Of(folder);
        var start = Path.EndsInDirectorySeparator(real) ? real : real + Path.DirectorySeparatorChar;
        return
        [
            .. Attempt
                .Read(Environment.GetLogicalDrives, [])
                .Select(FileSystemProbe.Unescape)
                .Where(x => x.Length > start.Length && x.StartsWith(start, StringComparison.Ordinal))
                .Select(x => Path.TrimEndingDirectorySeparator(Path.Join(folder, x[start.Length..])))
                .Distinct(),
        ];
    }

    /// <summary>Whether the folder is not there, or is one on another device than it was: that of a folder above its mount point, or it is
    /// empty, closed to this process or not to be listed.</summary>
    internal bool HasGone()
    {
        if (!Directory.Exists(path))
            return true;
        var before = m_disk ?? Interlocked.CompareExchange(ref m_disk, DiskOf(path), null);
        // A disk that was mounted again may have got another number; it is where it was, and has something in it.
        return before is not null
            && UnixFile.DeviceOf(path) is { } device
            && device != before.Device
            && (MountPointOf(device, path).Length < before.MountPoint.Length || IsEmpty());
    }

    private static Disk? DiskOf(string path) => UnixFile.DeviceOf(path) is { } device ? new Disk(device, MountPointOf(device, path)) : null;

    private static string MountPointOf(ulong device, string path)
    {
        while (Path.GetDirectoryName(path) is { } parent && UnixFile.DeviceOf(parent) == device)
            path = parent;
        return path;
    }

    // What is below a mounted disk is often its owner's alone; what would mount one whose server is off fails.
    private bool IsEmpty() => Attempt.Read(() => !Directory.EnumerateFileSystemEntries(path).Any(), true);
}
