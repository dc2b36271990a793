// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// Tells file systems on which a write-ahead log does not work, such as those reached over a network, from others: asks the operating
/// system, at about 60 µs a call; where the type leaves it open, tries it, at about a millisecond.
/// </summary>
/// <remarks>Stateless; may be called from any thread.</remarks>
internal static class FileSystemProbe
{
    private const string MountTable = "/proc/self/mounts";

    // Another machine may have the same file open, which no try on this one shows.
    private static readonly HashSet<string> NetworkTypes = new(StringComparer.OrdinalIgnoreCase)
    {
        "nfs",
        "nfs4",
        "nfsd",
        "cifs",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "afs",
        "afpfs",
        "webdav",
        "ncp",
        "ncpfs",
        "coda",
        "ceph",
        "lustre",
        "glusterfs",
        "gfs",
        "gfs2",
        "ocfs2",
        "panfs",
        "gpfs",
        "acfs",
        "fhgfs",
        "beegfs",
        "fuse.sshfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.davfs",
        "fuse.gcsfuse",
        "fuse.goofys",
        "fuse.curlftpfs",
        "fuse.glusterfs",
        "fuse.ceph",
        "fuse.ceph-fuse",
        "fuse.juicefs",
        "fuse.smbnetfs",
    };

    // Folders of the host in a virtual machine or a container: of one machine, but some of them lack locks or shared memory.
    private static readonly HashSet<string> HostTypes = new(StringComparer.OrdinalIgnoreCase)
    {
        "9p",
        "v9fs",
        "vboxsf",
        "vmhgfs",
        "prl_fs",
    };

    // These are local although they are served by a process.
    private static readonly HashSet<string> LocalFuseTypes = new(StringComparer.OrdinalIgnoreCase)
    {
        "fuseblk",
        "fuse.ntfs",
        "fuse.ntfs-3g",
        "fuse.exfat",
        "fuse.mergerfs",
        "fuse.unionfs",
        "fuse.bindfs",
        "fuse.gocryptfs",
        "fuse.encfs",
        "fuse.zfs",
        "fuse.apfs",
        "fuse.shfs",
        "fuse.portal",
        "fuse.lxcfs",
        "fuse.fuse-overlayfs",
        "fuse.cryfs",
        "fuse.vmware-vmblock",
    };

    /// <summary>
    /// Name of the file system a file lies on, such as <c>nfs</c>, if a write-ahead log does not work there; null if it does or it cannot
    /// be told.
    /// </summary>
    public static string? NetworkFileSystemOf(string path)
    {
        try
        {
            var folder = Path.GetDirectoryName(Path.GetFullPath(path));
            return string.IsNullOrEmpty(folder) ? null
                : OperatingSystem.IsWindows() ? OnWindows(folder)
                : OnUnix(folder);
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            // Where it cannot be told (a folder that does not exist fails at the open itself) the file counts as local.
            return null;
        }
    }

    /// <summary>Whether a type as named by the mount table is reached over a network.</summary>
    internal static bool IsNetworkType(string type) => NetworkTypes.Contains(type);

    /// <summary>Whether only a try shows what the file system does: folders of a host, and FUSE types not known to be local.</summary>
    internal static bool IsDoubtfulType(string type) =>
        HostTypes.Contains(type)
        || (type.StartsWith("fuse", StringComparison.OrdinalIgnoreCase) && !LocalFuseTypes.Contains(type) && !IsNetworkType(type));

    /// <summary>
    /// The type of the file system a folder lies on: that of the longest mount point that contains it, the later one of equals.
    /// </summary>
    /// <param name="folder">An absolute path.</param>
    /// <param name="mounts">Lines as in <c>/proc/self/mounts</c>: device, mount point, type and options, separated by blanks.</param>
    internal static string? TypeFromMounts(string folder, IEnumerable<string> mounts)
    {
        var longest = -1;
        string? type = null;
        foreach (var line in mounts)
        {
            var fields = line.Split(' ');
            if (fields.Length < 3)
                continue;

            var point = Unescape(fields[1]);
            if (point.Length >= longest && Contains(point, folder))
                (longest, type) = (point.Length, fields[2]);
        }

        return type;
    }

    private static string? OnWindows(string folder)
    {
        if (
            folder.StartsWith(@"\\", StringComparison.Ordinal)
            && !folder.StartsWith(@"\\?\", StringComparison.Ordinal)
            && !folder.StartsWith(@"\\.\", StringComparison.Ordinal)
        )
            return "UNC";
        if (folder.StartsWith(@"\\?\UNC\", StringComparison.OrdinalIgnoreCase))
            return "UNC";

        return Path.GetPathRoot(folder) is { Length: > 0 } root && new DriveInfo(root).DriveType == DriveType.Network
            ? "network drive"
            : null;
    }

    private static string? OnUnix(string folder)
    {
        var type = new DriveInfo(folder).DriveFormat;

        // The number the kernel gives says "fuse" for all of them; the mount table says which.
        if (string.Equals(type, "fuse", StringComparison.OrdinalIgnoreCase) && File.Exists(MountTable))
            type = TypeFromMounts(folder, File.ReadLines(MountTable)) ?? type;
        return IsNetworkType(type) || (IsDoubtfulType(type) && !(OperatingSystem.IsLinux() && SharingProbe.Works(folder))) ? type : null;
    }

    private static bool Contains(string point, string folder) =>
        point == "/"
        || (folder.StartsWith(point, StringComparison.Ordinal) && (folder.Length == point.Length || folder[point.Length] == '/'));

    /// <summary>A path of the mount table, which writes blank, tab, line feed and backslash in octal.</summary>
    internal static string Unescape(string point) =>
        point
            .Replace(@"\040", " ", StringComparison.Ordinal)
            .Replace(@"\011", "\t", StringComparison.Ordinal)
            .Replace(@"\012", "\n", StringComparison.Ordinal)
            .Replace(@"\134", @"\", StringComparison.Ordinal);
}
