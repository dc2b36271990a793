// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// Tries whether a folder's file system does what a write-ahead log needs of it (https://www.sqlite.org/wal.html): byte locks that
/// exclude each other, and pages mapped twice that show the same memory. About a millisecond; leaves nothing behind.
/// </summary>
/// <remarks>Linux, where the layout of <see cref="FileLock"/> holds; stateless, may be called from any thread.</remarks>
internal static unsafe partial class SharingProbe
{
    private const int SetLockOfOpenFile = 37;
    private const short WriteLock = 1;
    private const int PageBytes = 32768;

    /// <summary>True if both work. False if one does not, or no file can be made there.</summary>
    /// <param name="folder">An existing folder.</param>
    internal static bool Works(string folder)
    {
        var path = Path.Combine(folder, $".duplicati-probe-{Guid.NewGuid():N}");
        try
        {
            using var first = new FileStream(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            first.SetLength(PageBytes);
            using var second = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            return LocksExclude(first.SafeFileHandle, second.SafeFileHandle) && MappingsShare(first, second);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return false;
        }
        finally
        {
            Remove(path);
        }
    }

    // Locks of an open file exclude each other within a process, too, and follow the same rules as the ones SQLite takes.
    private static bool LocksExclude(SafeFileHandle first, SafeFileHandle second) => Lock(first) && !Lock(second);

    private static bool Lock(SafeFileHandle file)
    {
        var range = new FileLock { Type = WriteLock, Length = 1 };
        return Control((int)file.DangerousGetHandle(), SetLockOfOpenFile, &range) == 0;
    }

    private static bool MappingsShare(FileStream first, FileStream second)
    {
        using var one = MemoryMappedFile.CreateFromFile(
            first,
            null,
            PageBytes,
            MemoryMappedFileAccess.ReadWrite,
            HandleInheritability.None,
            leaveOpen: true
        );
        using var other = MemoryMappedFile.CreateFromFile(
            second,
            null,
            PageBytes,
            MemoryMappedFileAccess.ReadWrite,
            HandleInheritability.None,
            leaveOpen: true
        );
        using var here = one.CreateViewAccessor();
        using var there = other.CreateViewAccessor();
        here.Write(0, 7L);
        there.Write(PageBytes - sizeof(long), 8L);
        return there.ReadInt64(0) == 7 && here.ReadInt64(PageBytes - sizeof(long)) == 8;
    }

    private static void Remove(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // An empty file with a name that says what it is stays behind; the answer does not depend on it.
        }
    }

    /// <summary>As <c>struct flock</c> of the C library on 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct FileLock
    {
        internal short Type;
        internal short Whence;
        internal long Start;
        internal long Length;
        internal int Process;
    }

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = false)]
    private static partial int Control(int file, int command, FileLock* range);
}
