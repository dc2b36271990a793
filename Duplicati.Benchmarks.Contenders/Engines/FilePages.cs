// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.InteropServices;

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>The operating system's copies of a file's pages.</summary>
internal static class FilePages
{
    private const int DontNeed = 4;

    /// <summary>Gives the copies up, so that the next reads come from the disk. Only on Linux; elsewhere nothing happens.</summary>
    /// <param name="path">A file that nothing has open.</param>
    /// <exception cref="IOException">The system refused.</exception>
    public static void Drop(string path)
    {
        if (!OperatingSystem.IsLinux())
            return;

        using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        // Only what is on the disk can be given up.
        file.Flush(flushToDisk: true);
        var code = AdviseFile((int)file.SafeFileHandle.DangerousGetHandle(), 0, 0, DontNeed);
        if (code != 0)
            throw new IOException($"The pages of {path} could not be given up (error {code}).");
    }

    [DllImport("libc", EntryPoint = "posix_fadvise")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int AdviseFile(int descriptor, long offset, long length, int advice);
}
