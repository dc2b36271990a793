// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Duplicati.Engine.Common;

/// <summary>
/// What .NET does not tell of a file on Linux: owner, group, extended attributes. Links are not followed unless it is said. On other
/// systems, and on C libraries without these functions, everything is absent.
/// </summary>
internal static class UnixFile
{
    /// <summary>The permission bits that metadata holds.</summary>
    public const uint PERMISSIONS = 0x1FF;

    private const int AT_FDCWD = -100;
    private const int AT_SYMLINK_NOFOLLOW = 0x100;

    // Type and mode, owner, group.
    private const uint STATX_MODE_AND_OWNER = 0x1 | 0x2 | 0x8 | 0x10;

    private const uint STATX_INO = 0x100;

    // struct statx of <linux/stat.h> is the same on all architectures: 256 bytes, uid at 20, gid at 24, mode at 28, ino at 32, device at
    // 136.
    private const int STATX_SIZE = 256;
    private const int STATX_UID = 20;
    private const int STATX_GID = 24;
    private const int STATX_MODE = 28;
    private const int STATX_INODE = 32;
    private const int STATX_DEVICE = 136;

    // The type of a file within its mode, and the types that hold content of their own.
    private const uint TYPE = 0xF000;
    private const uint REGULAR = 0x8000;
    private const uint FOLDER = 0x4000;
    private const uint LINK = 0xA000;
    private const uint PIPE = 0x1000;

    // The kernel's own bound on names and on one value.
    private const int MAX_ATTRIBUTE = 64 * 1024;
    private const int MAX_PATH = 4096;

    /// <summary>Owner, group and permission bits of a file, folder or link; null if they cannot be told.</summary>
    /// <param name="path">Its path.</param>
    public static (uint Owner, uint Group, uint Mode)? Status(string path) =>
        FullStatus(path) is { } status ? (status.Owner, status.Group, status.Mode & PERMISSIONS) : null;

    /// <summary>Whether it is a pipe, a socket or a device: opening one may block, or do something. False if it cannot be told.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="followsLinks">Whether what a link leads to counts instead of it.</param>
    public static bool IsSpecial(string path, bool followsLinks = false) =>
        FullStatus(path, followsLinks) is { } status && (status.Mode & TYPE) is not (REGULAR or FOLDER or LINK);

    /// <summary>Whether it is a pipe with a name: opening one waits for who opens its other end. False if it cannot be told.</summary>
    /// <param name="path">Its path; a link is followed.</param>
    public static bool IsNamedPipe(string path) => FullStatus(path, followsLinks: true) is { } status && (status.Mode & TYPE) == PIPE;

    /// <summary>Whether the file of a path is the one that is open; true if it cannot be told.</summary>
    public static bool IsAt(SafeFileHandle open, string path)
    {
        if (!OperatingSystem.IsLinux())
            return true;
        var name = string.Create(CultureInfo.InvariantCulture, $"/proc/self/fd/{open.DangerousGetHandle()}");
        return Status(name, 0) is not { } file || (Status(path, 0) is { } named && Identity(file).SequenceEqual(Identity(named)));
    }

    /// <summary>The number of the device that a file or folder is on; null if it cannot be told.</summary>
    /// <param name="path">Its path; a link is followed.</param>
    internal static ulong? DeviceOf(string path) =>
        OperatingSystem.IsLinux() && Status(path, 0) is { } status
            ? BinaryPrimitives.ReadUInt64LittleEndian(status.AsSpan(STATX_DEVICE))
            : null;

    private static ReadOnlySpan<byte> Identity(byte[] status)
    {
        // The number of the file, and both of its device, one after the other.
        status.AsSpan(STATX_DEVICE, sizeof(ulong)).CopyTo(status.AsSpan(STATX_INODE + sizeof(ulong)));
        return status.AsSpan(STATX_INODE, 2 * sizeof(ulong));
    }

    private static byte[]? Status(string path, int flags)
    {
        var status = new byte[STATX_SIZE];
        return Call(() => statx(AT_FDCWD, path, flags, STATX_MODE_AND_OWNER | STATX_INO, status)) == 0 ? status : null;
    }

    private static (uint Owner, uint Group, uint Mode)? FullStatus(string path, bool followsLinks = false)
    {
        return Status(path, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) is { } status
            ? (
                BinaryPrimitives.ReadUInt32LittleEndian(status.AsSpan(STATX_UID)),
                BinaryPrimitives.ReadUInt32LittleEndian(status.AsSpan(STATX_GID)),
                BinaryPrimitives.ReadUInt16LittleEndian(status.AsSpan(STATX_MODE))
            )
            : null;
    }

    /// <summary>The extended attributes that can be read, by name.</summary>
    /// <param name="path">The path of a file, folder or link.</param>
    public static IReadOnlyList<KeyValuePair<string, byte[]>> ExtendedAttributes(string path)
    {
        // Most files have none: the size is asked for before a buffer is made.
        if (Call(() => llistxattr(path, null, 0)) <= 0)
            return [];
        var buffer = new byte[MAX_ATTRIBUTE];
        var length = (int)Call(() => llistxattr(path, buffer, buffer.Length));
        var found = new List<KeyValuePair<string, byte[]>>();
        if (length <= 0)
            return found;
        foreach (var name in Encoding.UTF8.GetString(buffer, 0, length).Split('\0', StringSplitOptions.RemoveEmptyEntries))
        {
            var size = (int)Call(() => lgetxattr(path, name, buffer, buffer.Length));
            if (size >= 0)
                found.Add(new(name, buffer[..size]));
        }

        return found;
    }

    /// <summary>Sets an extended attribute.</summary>
    /// <returns>Whether it was set.</returns>
    public static bool SetExtendedAttribute(string path, string name, byte[] value) =>
        !name.Contains('\0', StringComparison.Ordinal) && Call(() => lsetxattr(path, name, value, value.Length, 0)) == 0;

    /// <summary>Sets owner and group.</summary>
    /// <returns>Whether they were set.</returns>
    public static bool SetOwner(string path, uint owner, uint group) => Call(() => lchown(path, owner, group)) == 0;

    /// <summary>Whether a link leads to a path, by the bytes of both; true if it cannot be told.</summary>
    public static bool LeadsTo(string path, string target)
    {
        var buffer = new byte[MAX_PATH];
        var length = (int)Call(() => readlink(path, buffer, buffer.Length));
        return length < 0 || Encoding.UTF8.GetBytes(target).AsSpan().SequenceEqual(buffer.AsSpan(0, length));
    }

    /// <summary>Gives a file a second name.</summary>
    /// <returns>Whether it has it.</returns>
    public static bool Link(string path, string name) => Call(() => link(path, name)) == 0;

    private static nint Call(Func<nint> function)
    {
        if (!OperatingSystem.IsLinux() || !BitConverter.IsLittleEndian)
            return -1;
        try
        {
            return function();
        }
        catch (Exception ex) when (ex is EntryPointNotFoundException or DllNotFoundException)
        {
            return -1;
        }
    }

#pragma warning disable CA5392 // the C library is already loaded; no search path is involved
    [DllImport("libc")]
    private static extern int statx(
        int folder,
        [MarshalAs(UnmanagedType.LPUTF8Str)] string path,
        int flags,
        uint mask,
        [Out] byte[] status
    );

    [DllImport("libc")]
    private static extern nint llistxattr([MarshalAs(UnmanagedType.LPUTF8Str)] string path, [Out] byte[]? names, nint size);

    [DllImport("libc")]
    private static extern nint lgetxattr(
        [MarshalAs(UnmanagedType.LPUTF8Str)] string path,
        [MarshalAs(UnmanagedType.LPUTF8Str)] string name,
        [Out] byte[] value,
        nint size
    );

    [DllImport("libc")]
    private static extern int lsetxattr(
        [MarshalAs(UnmanagedType.LPUTF8Str)] string path,
        [MarshalAs(UnmanagedType.LPUTF8Str)] string name,
        byte[] value,
        nint size,
        int flags
    );

    [DllImport("libc")]
    private static extern nint readlink([MarshalAs(UnmanagedType.LPUTF8Str)] string path, [Out] byte[] target, nint size);

    [DllImport("libc")]
    private static extern int link([MarshalAs(UnmanagedType.LPUTF8Str)] string path, [MarshalAs(UnmanagedType.LPUTF8Str)] string name);

    [DllImport("libc")]
    private static extern int lchown([MarshalAs(UnmanagedType.LPUTF8Str)] string path, uint owner, uint group);
#pragma warning restore CA5392
}
