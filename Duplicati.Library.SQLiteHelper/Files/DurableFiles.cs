// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.IO;
using System.Runtime.InteropServices;

namespace Duplicati.Library.SQLiteHelper.Files;

/// <summary>The steps that bring a file to the disk so that a power loss finds it whole or not at all.</summary>
/// <remarks>May be called by any thread.</remarks>
internal class DurableFiles
{
    // Errors of the disk itself; the same numbers on Linux and macOS. Others mean that this file system cannot flush folders.
    private const int EIO = 5;
    private const int ENOSPC = 28;

    private const int O_RDONLY = 0;

    /// <summary>What moves, removes and flushes database files.</summary>
    public static DurableFiles Standard { get; internal set; } = new();

    /// <summary>
    /// Moves a file, within a file system by a rename, else by a copy. The name is on the disk after <see cref="FlushFolder"/>.
    /// </summary>
    /// <exception cref="IOException">The target exists and may not be replaced, or the disk refused.</exception>
    public virtual void Move(string from, string to, bool overwrite)
    {
#pragma warning disable RS0030 // Whoever calls this says why nobody has the file open.
        File.Move(from, to, overwrite);
#pragma warning restore RS0030
    }

    /// <summary>Removes a file if it is there. The name is gone from the disk after <see cref="FlushFolder"/>.</summary>
    /// <exception cref="IOException">The disk refused.</exception>
    public virtual void Delete(string path) => File.Delete(path);

    /// <summary>Returns when the content of a file is on the disk, also of one that SQLite has open and takes no locks on.</summary>
    /// <exception cref="IOException">The disk refused.</exception>
    public virtual void FlushFile(string path)
    {
#pragma warning disable RS0030 // Whoever calls this says why nobody has the file open, or why no locks hang on it.
        using var file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
#pragma warning restore RS0030
        RandomAccess.FlushToDisk(file);
    }

    /// <summary>Flushes a file that is being written, as <see cref="FlushFile"/> does.</summary>
    /// <param name="file">The open file.</param>
    /// <exception cref="IOException">It cannot be flushed.</exception>
    internal virtual void FlushStream(FileStream file) => file.Flush(flushToDisk: true);

    /// <summary>
    /// Returns when the names in a folder are on the disk. Does nothing where folders cannot be flushed: Windows, some network file
    /// systems.
    /// </summary>
    /// <exception cref="IOException">The disk refused.</exception>
    public virtual void FlushFolder(string path)
    {
        if (OperatingSystem.IsWindows())
            return;
        var folder = open(path, O_RDONLY);
        if (folder < 0)
            return;
        try
        {
            if (fsync(folder) != 0 && Marshal.GetLastPInvokeError() is EIO or ENOSPC)
                throw new IOException(
                    $"The folder '{path}' cannot be flushed: {Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError())}"
                );
        }
        finally
        {
            _ = close(folder);
        }
    }

#pragma warning disable CA5392 // the C library is already loaded; no search path is involved
    [DllImport("libc", SetLastError = true)]
    private static extern int open([MarshalAs(UnmanagedType.LPUTF8Str)] string path, int flags);

    [DllImport("libc", SetLastError = true)]
    private static extern int fsync(int file);

    [DllImport("libc")]
    private static extern int close(int file);
#pragma warning restore CA5392
}
