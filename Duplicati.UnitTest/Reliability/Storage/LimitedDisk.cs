// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Duplicati.UnitTest.Reliability.Storage;

/// <summary>
/// Little room for files: a small file system, mounted for one process, or, where none can be mounted, a limit of the size of files.
/// </summary>
internal sealed class LimitedDisk
{
    /// <summary>A file system of its own.</summary>
    internal const string Disk = "disk";

    /// <summary>A limit of the process.</summary>
    internal const string Limit = "limit";

    private const int Bytes = 24 * 1024 * 1024;
    private const int NoMount = 90;
    private const int RlimitFsize = 1;

    private readonly string m_folder;
    private readonly bool m_isDisk;

    /// <param name="folder">The folder.</param>
    /// <param name="way">How its room is limited; what <see cref="Run{T}"/> passed.</param>
    internal LimitedDisk(string folder, string way) => (m_folder, m_isDisk) = (folder, way == Disk);

    private string Ballast => Path.Combine(m_folder, "ballast");

    /// <summary>
    /// Runs a child program with a folder whose room it can limit: it gets the folder, how that is done, and the arguments.
    /// </summary>
    internal static (int ExitCode, string Output, string Error) Run<T>(string way, string folder, params string[] args)
        where T : IChildProgram
    {
        Directory.CreateDirectory(folder);
        string[] program = [ChildProcess.Host, "exec", ChildProcess.Program, typeof(T).FullName!, folder];
        if (way == Disk && TryMount("mount -t tmpfs -o size=" + Bytes + ",mode=700 none", folder, [.. program, Disk, .. args]) is { } done)
            return done;
        // A write beyond the limit fails where its signal is ignored. The runtime keeps its own code in a file that is larger, unless told
        // not to.
        return ChildProcess.Run(
            "/bin/sh",
            ["-c", "trap '' XFSZ; DOTNET_EnableWriteXorExecute=0 exec \"$@\"", "sh", .. program, Limit, .. args]
        );
    }

    /// <summary>Runs a program in a mount namespace of its own where something is mounted on a folder.</summary>
    /// <returns>What the program gave; null if nothing can be mounted here.</returns>
    internal static (int ExitCode, string Output, string Error)? TryMount(string mount, string folder, string[] program)
    {
        try
        {
            var run = ChildProcess.Run(
                "unshare",
                ["-rm", "sh", "-c", $"{mount} \"$1\" || exit {NoMount}; shift; exec \"$@\"", "sh", folder, .. program]
            );
            return run.ExitCode == NoMount || run.Error.Contains("unshare", StringComparison.Ordinal) ? null : run;
        }
        catch (Win32Exception)
        {
            return null;
        }
    }

    /// <summary>Leaves room for so many bytes on the disk, or for no file that is longer.</summary>
    internal void Leave(long bytes)
    {
        if (!m_isDisk)
        {
            SetLimit((ulong)bytes);
            return;
        }

        var free = new DriveInfo(m_folder).AvailableFreeSpace;
        using var ballast = new FileStream(Ballast, FileMode.Create);
        var zeros = new byte[64 * 1024];
        for (var left = free - bytes; left > 0; left -= zeros.Length)
            ballast.Write(zeros, 0, (int)Math.Min(left, zeros.Length));
    }

    /// <summary>There is room again.</summary>
    internal void GiveBack()
    {
        if (m_isDisk)
            File.Delete(Ballast);
        else
            SetLimit(ulong.MaxValue);
    }

    private static void SetLimit(ulong bytes)
    {
        var limit = new ResourceLimit { Now = bytes, Most = ulong.MaxValue };
        if (setrlimit(RlimitFsize, ref limit) != 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    [DllImport("libc", SetLastError = true)]
    private static extern int setrlimit(int resource, ref ResourceLimit limit);

    [StructLayout(LayoutKind.Sequential)]
    private struct ResourceLimit
    {
        public ulong Now;
        public ulong Most;
    }
}
