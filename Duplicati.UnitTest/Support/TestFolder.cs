// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.CompilerServices;
using System.Security.Cryptography;

namespace Duplicati.UnitTest.Support;

/// <summary>A new folder for one test, removed with everything in it when disposed.</summary>
internal sealed class TestFolder : IDisposable
{
    private const string Prefix = "duplicati-test-";

    /// <summary>Makes the folder among the temporary files of the tests.</summary>
    public TestFolder() => Path = Directory.CreateTempSubdirectory(Prefix).FullName;

    /// <summary>Makes the folder in another one.</summary>
    public TestFolder(string parent) =>
        Path = Directory.CreateDirectory(System.IO.Path.Combine(parent, $"{Prefix}{Guid.NewGuid():N}")).FullName;

    /// <summary>Full path without a separator at its end.</summary>
    public string Path { get; }

    /// <summary>The path of a file or folder in it.</summary>
    public string File(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>The names of the files directly in it, sorted.</summary>
    public string[] Files() =>
        [.. Directory.GetFiles(Path).Select(System.IO.Path.GetFileName).OfType<string>().Order(StringComparer.Ordinal)];

    public void Dispose() => Directory.Delete(Path, recursive: true);
}

/// <summary>A new folder for each test.</summary>
public abstract class FolderTestBase
{
    private protected TestFolder Folder { get; private set; } = null!;

    [SetUp]
    public void MakeTestFolder() => Folder = new TestFolder();

    [TearDown]
    public void RemoveTestFolder() => Folder.Dispose();
}

/// <summary>What can be seen of a folder from outside: names, bytes, times and modes of it and of all files in it.</summary>
internal static class FolderState
{
    /// <summary>One line for the folder and each file in it.</summary>
    public static string[] Of(string folder) =>
        [
            Describe(new DirectoryInfo(folder)),
            .. new DirectoryInfo(folder)
                .GetFiles("*", SearchOption.AllDirectories)
                .OrderBy(x => x.FullName, StringComparer.Ordinal)
                .Select(Describe),
        ];

    /// <summary>Name and bytes of each file in a folder, without its times and modes.</summary>
    public static string[] Contents(string folder) =>
        [
            .. new DirectoryInfo(folder)
                .GetFiles("*", SearchOption.AllDirectories)
                .OrderBy(x => x.FullName, StringComparer.Ordinal)
                .Select(x => $"{Path.GetRelativePath(folder, x.FullName)} {Hash(x)}"),
        ];

    private static string Describe(FileSystemInfo item) =>
        $"{item.Name} {item.LastWriteTimeUtc:O} {(OperatingSystem.IsWindows() ? item.Attributes.ToString() : item.UnixFileMode.ToString())} {(item is FileInfo file ? Hash(file) : "")}";

    private static string Hash(FileInfo file)
    {
        using var stream = new FileStream(file.FullName, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        return $"{stream.Length} {Convert.ToHexString(SHA256.HashData(stream))}";
    }
}

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
