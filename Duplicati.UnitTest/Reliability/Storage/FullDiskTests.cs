// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Dump;

namespace Duplicati.UnitTest.Reliability.Storage;

/// <summary>
/// A disk that is full: a typed error, nothing lost, and with room the same command goes on. Database, remote folder and all beside them
/// are on it.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class FullDiskTests
{
    private const string Full = "DiskIsFull";

    private static readonly string[] s_operations = ["backup", "recreate", "upgrade", "compact", "vacuum"];
    private static readonly long[] s_room = [0, 30_000, 90_000, 180_000];

    [Test]
    public void An_operation_on_a_full_disk_fails_typed_loses_nothing_and_goes_on_with_room(
        [Values(LimitedDisk.Disk, LimitedDisk.Limit)] string way
    )
    {
        using var folder = new TestFolder();
        var (code, output, error) = LimitedDisk.Run<Child>(way, folder.File("small"), folder.File("source"));
        TestContext.Out.WriteLine(output);
        Assert.That(code, Is.Zero, error);
    }

    private sealed class Child : IChildProgram
    {
        public static int Run(string[] args)
        {
            var disk = new LimitedDisk(args[0], args[1]);
            // In one process, which compiles most of its time.
            foreach (var operation in s_operations)
            {
                var folder = Directory.CreateDirectory(Path.Combine(args[0], operation)).FullName;
                RunAsync(disk, new StorageCase(folder, Path.Combine(args[2], operation)), operation).GetAwaiter().GetResult();
                Directory.Delete(folder, recursive: true);
            }

            return 0;
        }

        private static async Task RunAsync(LimitedDisk disk, StorageCase test, string operation)
        {
            await test.MakeAsync();
            var words = await PrepareAsync(test, operation);
            var failed = 0;
            foreach (var bytes in s_room)
            {
                disk.Leave(bytes);
                bool done;
                try
                {
                    done = await StorageCase.TryAsync(words, Full);
                }
                finally
                {
                    disk.GiveBack();
                }

                Console.WriteLine($"{operation} with room for {bytes} bytes: {(done ? "done" : "failed")}");
                if (done)
                    break;
                failed++;
                await LeftAsync(test, operation, $"{operation} with room for {bytes} bytes");
            }

            StorageCase.Check(failed > 0, "the disk was full");
            await StorageCase.DoAsync(words);
            if (operation == "recreate")
                test.Equal(New(test));
            await test.KeptAsync("at the end");
            await test.CompleteAsync();
        }

        private static string Before(StorageCase test) => test.Source + "-before.sqlite";

        private static string New(StorageCase test) => Path.Combine(test.Folder, "new.sqlite");

        private static async Task<string[]> PrepareAsync(StorageCase test, string operation)
        {
            switch (operation)
            {
                case "backup":
                    test.Change();
                    return test.Backup;
                case "recreate":
                    return ["recreate", test.Remote, "--dbpath", New(test), "--no-encryption"];
                case "upgrade":
                    Databases.Downgrade(test.Database);
                    File.Copy(test.Database, Before(test));
                    return ["upgrade", test.Database];
                case "compact":
                    test.Change();
                    await StorageCase.DoAsync(test.Backup);
                    await StorageCase.DoAsync(["delete", test.Remote, "--version", "1", "--yes", "--no-compact", .. test.Access]);
                    return ["compact", test.Remote, "--threshold", "1", .. test.Access];
                default:
                    return ["vacuum", test.Database];
            }
        }

        // A database of an old version is not one that the commands below open without changing it.
        private static async Task LeftAsync(StorageCase test, string operation, string when)
        {
            if (operation == "upgrade")
            {
                var version = Databases.VersionOf(test.Database);
                StorageCase.Check(version is 18 or 19, $"{when}: the database has the old version or the new one");
                // What the planner knows may be new, so that the file itself may differ.
                var changed = version == 18 ? Databases.Compare(Before(test), test.Database) : [];
                StorageCase.Check(changed.Count == 0, $"{when}: one of the old version is as it was: {string.Join('\n', changed)}");
                StorageCase.Check(
                    Databases.Query(test.Database, "SELECT COUNT(*) FROM \"Fileset\"") == "2",
                    $"{when}: both versions are there"
                );
                StorageCase.Check(
                    !Directory
                        .GetFiles(test.Folder)
                        .Any(x => x.EndsWith(".incomplete", StringComparison.Ordinal) || x.Contains("-journal", StringComparison.Ordinal)),
                    $"{when}: nothing half is left"
                );
                return;
            }

            await test.KeptAsync(when);
            if (operation == "recreate")
                StorageCase.Check(
                    !File.Exists(New(test)) || UnfinishedRecreate.Is(New(test)),
                    $"{when}: no file has the name without the mark"
                );
        }
    }
}
