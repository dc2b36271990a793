// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Data;

/// <summary>Times of files and folders (UTC), links not followed. File systems with 64-bit times have some that are none here.</summary>
internal static class FileTimes
{
    /// <summary>The time of the last write.</summary>
    /// <exception cref="IOException">It lies before the year 1 or after the year 9999.</exception>
    internal static DateTime LastWrite(FileSystemInfo info) => Read(info, static x => x.LastWriteTimeUtc);

    /// <summary>The time at which it was made.</summary>
    /// <exception cref="IOException">It lies before the year 1 or after the year 9999.</exception>
    internal static DateTime Creation(FileSystemInfo info) => Read(info, static x => x.CreationTimeUtc);

    private static DateTime Read(FileSystemInfo info, Func<FileSystemInfo, DateTime> read)
    {
        try
        {
            return read(info);
        }
        catch (ArgumentOutOfRangeException ex)
        {
            throw new IOException("its time lies before the year 1 or after the year 9999; set another one to have it backed up", ex);
        }
    }
}
