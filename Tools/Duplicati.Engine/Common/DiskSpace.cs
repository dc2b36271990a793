// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Win32.SafeHandles;

namespace Duplicati.Engine.Common;

/// <summary>Tells a disk without space, one with bad sectors, and one that is gone, from a file that cannot be read.</summary>
internal static class DiskSpace
{
    // Error numbers of Linux and macOS, and of Windows.
    private const int EFBIG = 27;
    private const int ENOSPC = 28;
    private const int EDQUOT_LINUX = 122;
    private const int EDQUOT_MACOS = 69;
    private const int ERROR_HANDLE_DISK_FULL = unchecked((int)0x80070027);
    private const int ERROR_DISK_FULL = unchecked((int)0x80070070);

    // EIO, and what Windows says: a wrong checksum, no such sector, an error of the device.
    private static readonly int[] s_badSectors = [5, unchecked((int)0x80070017), unchecked((int)0x8007001B), unchecked((int)0x8007045D)];

    // A disk or a server that is gone, or what it holds is broken. ENXIO, ENODEV, EBADMSG, ENETDOWN, ENETUNREACH, ECONNABORTED, ECONNRESET,
    // ENOTCONN, ESHUTDOWN, ETIMEDOUT, ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH, ESTALE, EUCLEAN, EREMOTEIO and ENOMEDIUM of Linux; the first
    // fourteen but ESHUTDOWN of macOS; and of Windows that a device is not ready, not there or does not work, that a path, name or device
    // of the network is not there, or that it has failed or timed out.
    private static readonly int[] s_gone =
        OperatingSystem.IsWindows()
            ? [.. new[] { 0x15, 0x1F, 0x35, 0x37, 0x3B, 0x40, 0x43, 0x79, 0x1B1, 0x48F }.Select(x => unchecked((int)0x80070000) | x)]
        : OperatingSystem.IsMacOS() ? [6, 19, 94, 50, 51, 53, 54, 57, 60, 61, 64, 65, 70]
        : [6, 19, 74, 100, 101, 103, 104, 107, 108, 110, 111, 112, 113, 116, 117, 121, 123];

    /// <summary>Sets the length of a file.</summary>
    /// <exception cref="IOException">It cannot have that length; a limit of file sizes is told by <see cref="IsExhausted"/>, as for a
    /// write.</exception>
    internal static void SetLength(SafeFileHandle file, long length)
    {
        try
        {
            RandomAccess.SetLength(file, length);
        }
        // The runtime takes a limit of the system for a wrong argument.
        catch (ArgumentOutOfRangeException)
        {
            throw new IOException(
                $"A file cannot have {length} bytes here: a limit of the system is reached.",
                OperatingSystem.IsWindows() ? ERROR_DISK_FULL : EFBIG
            );
        }
    }

    /// <summary>True if the disk could not give the content of a file.</summary>
    internal static bool IsBad(Exception failure) => failure is IOException && s_badSectors.Contains(failure.HResult);

    /// <summary>
    /// True if it is the disk or the server that failed: bad sectors, or it is gone. Not if a file is gone, or may not be read.
    /// </summary>
    internal static bool IsFailure(Exception failure) => IsBad(failure) || (failure is IOException && s_gone.Contains(failure.HResult));

    /// <summary>True if one file is too long for the file system, or for a limit of the process; others may have room.</summary>
    internal static bool IsTooLong(Exception failure) => failure is IOException { HResult: EFBIG } && !OperatingSystem.IsWindows();

    /// <summary>The error of a program that had no space for a local file, as <see cref="IsExhausted"/> tells it.</summary>
    internal static IOException Exhausted(string message) => new(message, OperatingSystem.IsWindows() ? ERROR_DISK_FULL : ENOSPC);

    /// <summary>True if a local file could not be written for want of space.</summary>
    internal static bool IsExhausted(Exception failure) =>
        failure is IOException
        && (
            OperatingSystem.IsWindows()
                ? failure.HResult is ERROR_HANDLE_DISK_FULL or ERROR_DISK_FULL
                : failure.HResult is EFBIG or ENOSPC || failure.HResult == (OperatingSystem.IsMacOS() ? EDQUOT_MACOS : EDQUOT_LINUX)
        );
}
