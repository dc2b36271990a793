// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.CompilerServices;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Where the temporary files of the tests and of the programs that they start lie: in memory, where the system has a folder in memory with
/// room for them. Thousands of small databases are made, flushed and removed, which takes a disk longer than the tests themselves.
/// What a test says of durability does not depend on the disk: a killed process keeps what the system has, and a loss of power is played.
/// </summary>
internal static class TestStorage
{
    private const string Variable = "TMPDIR";
    private const string InMemory = "/dev/shm";
    private const long Room = 4L << 30;

    /// <summary>The folder of temporary files of the system, for a test that needs a file system on a disk.</summary>
    internal static string OfSystem { get; private set; } = "";

    /// <summary>Before the first test, and in the child programs; a folder that somebody has chosen stays.</summary>
    [ModuleInitializer]
    internal static void Choose()
    {
        OfSystem = Path.GetTempPath();
        if (
            OperatingSystem.IsLinux()
            && string.IsNullOrEmpty(Environment.GetEnvironmentVariable(Variable))
            && Directory.Exists(InMemory)
            && new DriveInfo(InMemory) is { DriveFormat: "tmpfs", AvailableFreeSpace: >= Room }
        )
            Environment.SetEnvironmentVariable(Variable, InMemory);
    }
}
