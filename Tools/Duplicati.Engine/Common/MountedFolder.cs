// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

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

    /// <summary>Whether the folder is not there, or an empty one on another device than it was.</summary>
    internal bool HasGone()
    {
        if (!Directory.Exists(path))
            return true;
        if (UnixFile.DeviceOf(path) is not { } device)
            return false;
        // A disk that was mounted again may have got another number, and has something in it.
        return !device.Equals(Interlocked.CompareExchange(ref m_device, device, null) ?? device)
            && !Directory.EnumerateFileSystemEntries(path).Any();
    }
}
