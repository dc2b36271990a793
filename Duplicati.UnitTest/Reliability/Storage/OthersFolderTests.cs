// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;

namespace Duplicati.UnitTest.Reliability.Storage;

/// <summary>
/// A folder that may not be written to, because it is read-only or has become somebody else's: a typed error, and not a byte changes, of
/// the remote folder neither.
/// </summary>
[TestFixture]
[Platform("Linux")]
[UnsupportedOSPlatform("windows")]
internal sealed class OthersFolderTests
{
    private const string Writing = "backup|compact|delete|vacuum|upgrade|repair|recreate";

    [Test]
    public async Task Commands_that_write_to_the_database_of_somebody_else_fail_typed_and_change_nothing([Values] bool isReadable)
    {
        using var folder = new TestFolder();
        var test = new StorageCase(Directory.CreateDirectory(folder.File("database")).FullName, folder.File("source"));
        await test.MakeAsync();
        Open(folder.Path, test);
        using var other = new OtherUser(folder.Path, test.Folder);
        if (!isReadable)
            File.SetUnixFileMode(test.Database, UnixFileMode.None);
        var before = Describe(test.Folder);
        var (code, output, error) = other.Run<Child>(test.Folder, test.Source);
        TestContext.Out.WriteLine(output);
        Assert.That(code, Is.Zero, error);
        Assert.That(Describe(test.Folder), Is.EqualTo(before));
    }

    // The other one may read all of the source and change all of the remote folder.
    private static void Open(string root, StorageCase test)
    {
        const UnixFileMode all = (UnixFileMode)0x1ff;
        foreach (
            var path in Directory
                .EnumerateFileSystemEntries(root, "*", SearchOption.AllDirectories)
                .Where(x => x.StartsWith(test.Source, StringComparison.Ordinal) || x.StartsWith(test.Remote, StringComparison.Ordinal))
        )
            File.SetUnixFileMode(path, all);
    }

    private static string[] Describe(string folder) =>
        [
            .. Directory
                .EnumerateFiles(folder, "*", SearchOption.AllDirectories)
                .Order(StringComparer.Ordinal)
                .Select(x => $"{x} {new FileInfo(x).Length} {File.GetLastWriteTimeUtc(x):O}"),
        ];

    private sealed class Child : IChildProgram
    {
        public static int Run(string[] args)
        {
            RunAsync(new StorageCase(args[0], args[1])).GetAwaiter().GetResult();
            return 0;
        }

        private static async Task RunAsync(StorageCase test)
        {
            foreach (var command in Writing.Split('|'))
            {
                string[] words = command switch
                {
                    "backup" => test.Backup,
                    "vacuum" or "upgrade" => [command, test.Database],
                    "delete" => [command, test.Remote, "--version", "1", "--yes", .. test.Access],
                    "recreate" => [command, test.Remote, "--overwrite", .. test.Access],
                    _ => [command, test.Remote, .. test.Access],
                };
                var done = await StorageCase.TryAsync(words, "DatabaseIsNotAccessible", "AccessDenied", "FileIsReadOnly");
                Console.WriteLine($"{command}: {(done ? "nothing to do" : "refused")}");
                StorageCase.Check(!done || command is "compact" or "upgrade" or "repair", $"{command} is refused");
            }
        }
    }
}
