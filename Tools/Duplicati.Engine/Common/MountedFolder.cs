// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Common;

/// <summary>
/// Tells a folder from the empty one that is in its place when its disk is unmounted, from when this is made on, or from when the folder is
/// there. Thread-safe; on systems other than Linux only whether it is there.
/// </summary>
/// <param name="path">The folder.</param>
internal sealed class MountedFolder(string path)
{
    // A number of a device, once it is known.
    private object? m_device = UnixFile.DeviceOf(path);

    /// <summary>The places below a folder where something is mounted, as paths that begin with that folder's. None where that cannot be
    /// told.</summary>
    /// <param name="folder">Its full path; links on the way to it are followed.</param>
    internal static IReadOnlyList<string> Below(string folder)
    {
        if (!OperatingSystem.IsLinux())
            return [];
        try
        {
            var real = RealPath.Of(folder);
            var start = Path.EndsInDirectorySeparator(real) ? real : real + Path.DirectorySeparatorChar;
            return
            [
                .. Environment
                    .GetLogicalDrives()
                    .Select(FileSystemProbe.Unescape)
                    .Where(x => x.Length > start.Length && x.StartsWith(start, StringComparison.Ordinal))
                    .Select(x => Path.TrimEndingDirectorySeparator(Path.Join(folder, x[start.Length..])))
                    .Distinct(),
            ];
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    /// <summary>Whether the folder is not there, or one on another device than it was, and empty, closed to this process or not to be
    /// listed.</summary>
    internal bool HasGone()
    {
        if (!Directory.Exists(path))
            return true;
        if (UnixFile.DeviceOf(path) is not { } device)
            return false;
        // A disk that was mounted again may have got another number, and has something in it.
        return !device.Equals(Interlocked.CompareExchange(ref m_device, device, null) ?? device) && IsEmpty();
    }

    // What is below a mounted disk is often its owner's alone; what would mount one whose server is off fails.
    private bool IsEmpty()
    {
        try
        {
            return !Directory.EnumerateFileSystemEntries(path).Any();
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return true;
        }
    }
}
