// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Globalization;

namespace Duplicati.UnitTest.Reliability.Storage;

/// <summary>
/// The file system that holds the database and the remote folder goes away in the middle of an operation: it is unmounted, or, where
/// nothing can be mounted, the folder is renamed. When it is back, nothing is lost and the same command goes on.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class VanishingFolderTests
{
    private const string Mount = "mount";
    private const string Rename = "rename";

    // What the operation meets first: the remote folder, the database, a file of either; or a backup, to which a remote folder that is not
    // there is an empty one, that none of the volumes it knows is there.
    private static readonly string[] s_errors =
    [
        "FolderMissing",
        "DatabaseIsNotAccessible",
        "DatabaseError",
        "FileMissing",
        "RemoteFolderEmptyWithPrefix",
    ];

    [Test]
    public void An_operation_whose_folder_goes_away_fails_typed_and_goes_on_when_it_is_back([Values(Mount, Rename)] string way) =>
        Run("backup,compact,recreate", way, 0, 0);

    [Test]
    [Explicit]
    [Category(LongRun.Category)]
    public void It_may_go_away_at_any_moment(
        [Values("backup", "compact", "recreate")] string operation,
        [Values(Mount, Rename)] string way
    ) => Run(operation, way, LongRun.Count(100), LongRun.Seed());

    // One process for all operations: most of its time it compiles.
    private static void Run(string operations, string way, int times, int seed)
    {
        using var folder = new TestFolder();
        var (real, mounted) = (
            Directory.CreateDirectory(folder.File("real")).FullName,
            Directory.CreateDirectory(folder.File("mounted")).FullName
        );
        string[] program =
        [
            ChildProcess.Host,
            "exec",
            ChildProcess.Program,
            typeof(Child).FullName!,
            folder.File("source"),
            operations,
            mounted,
            $"{times}",
            $"{seed}",
        ];
        var run =
            (way == Mount ? LimitedDisk.TryMount($"mount --bind '{real}'", mounted, [.. program, real]) : null)
            ?? ChildProcess.Run(program[0], program[1..]);
        TestContext.Out.WriteLine(run.Output);
        Assert.That(run.ExitCode, Is.Zero, run.Error);
    }

    private sealed class Child : IChildProgram
    {
        private const int MostChanges = 12;

        // Source, operations, the folder, how often at random moments, and their seed; and what is mounted on it.
        public static int Run(string[] args)
        {
            RunAsync(
                    new StorageCase(args[2], args[0]),
                    args[1].Split(','),
                    int.Parse(args[3], CultureInfo.InvariantCulture),
                    new Random(int.Parse(args[4], CultureInfo.InvariantCulture)),
                    args.ElementAtOrDefault(5)
                )
                .GetAwaiter()
                .GetResult();
            return 0;
        }

        private static async Task RunAsync(StorageCase test, string[] operations, int times, Random random, string? real)
        {
            await test.MakeAsync();
            foreach (var operation in operations)
                await RunAsync(test, operation, times, random, real);
        }

        private static async Task RunAsync(StorageCase test, string operation, int times, Random random, string? real)
        {
            var failed = 0;
            for (var time = 0; time < times; time++)
                failed += await WithoutAsync(
                    test,
                    operation,
                    new Moment(random.Next(MostChanges), TimeSpan.FromMicroseconds(random.Next(30_000))),
                    real
                )
                    ? 0
                    : 1;
            // After the first change a backup may begin anew in what is left; after many the operation may be done before the folder goes.
            for (var moments = 0; times == 0 && (moments < 2 || (failed == 0 && moments < 40)); moments++)
                failed += await WithoutAsync(test, operation, new Moment(1 + (2 * (moments % 5)), TimeSpan.Zero), real) ? 0 : 1;
            StorageCase.Check(failed > 0, "the operation failed at least once");
        }

        // Whether the operation was done before the folder went.
        private static async Task<bool> WithoutAsync(StorageCase test, string operation, Moment moment, string? real)
        {
            var words = await PrepareAsync(test, operation);
            var done = await WithoutAsync(test, words, moment, real);
            Console.WriteLine($"{operation}, gone after {moment}: {(done ? "done" : "failed")}");
            await test.KeptAsync($"gone after {moment}");
            await StorageCase.DoAsync(words);
            await test.CompleteAsync();
            return done;
        }

        private static async Task<string[]> PrepareAsync(StorageCase test, string operation)
        {
            test.Change();
            if (operation == "backup")
                return test.Backup;
            await StorageCase.DoAsync(test.Backup);
            if (operation == "recreate")
                return ["recreate", test.Remote, "--overwrite", .. test.Access];
            await StorageCase.DoAsync(["delete", test.Remote, "--version", "1", "--yes", "--no-compact", .. test.Access]);
            return ["compact", test.Remote, "--threshold", "1", .. test.Access];
        }

        private static async Task<bool> WithoutAsync(StorageCase test, string[] words, Moment moment, string? real)
        {
            using var over = new CancellationTokenSource();
            // Not disposed: an event may come late.
            var changes = new SemaphoreSlim(0);
            using var watcher = new FileSystemWatcher(test.Folder) { IncludeSubdirectories = true, NotifyFilter = NotifyFilters.FileName };
            watcher.Created += (_, _) => changes.Release();
            watcher.Deleted += (_, _) => changes.Release();
            watcher.Renamed += (_, _) => changes.Release();
            watcher.EnableRaisingEvents = true;
            var taking = Task.Run(async () =>
            {
                for (var left = moment.Changes; left > 0; left--)
                    await changes.WaitAsync();
                for (
                    var start = Stopwatch.GetTimestamp();
                    Stopwatch.GetElapsedTime(start) < moment.Later && !over.IsCancellationRequested;

                )
                    Thread.Yield();
                Take(test.Folder, real);
            });
            try
            {
                return await StorageCase.TryAsync(words, s_errors);
            }
            finally
            {
                await over.CancelAsync();
                changes.Release(MostChanges);
                await taking;
                Return(test.Folder, real);
            }
        }

        // An unmounted file system stays for those who have files of it open, as a disk does that is taken away "lazily".
        private static void Take(string folder, string? real)
        {
            if (real is null)
                Directory.Move(folder, folder + "-gone");
            else
                StorageCase.Check(ChildProcess.Run("umount", "-l", folder).ExitCode == 0, "it can be unmounted");
        }

        private static void Return(string folder, string? real)
        {
            if (real is null)
            {
                // What was made meanwhile in its place.
                if (Directory.Exists(folder))
                    Directory.Delete(folder, recursive: true);
                Directory.Move(folder + "-gone", folder);
            }
            else
            {
                // An operation that begins when the folder is gone already may make a new backup in what is left.
                foreach (var made in new DirectoryInfo(folder).EnumerateFileSystemInfos())
                {
                    if (made is DirectoryInfo inner)
                        inner.Delete(recursive: true);
                    else
                        made.Delete();
                }

                StorageCase.Check(ChildProcess.Run("mount", "--bind", real, folder).ExitCode == 0, "it can be mounted again");
            }
        }

        // When so many files in the folder have come or gone, and some time later.
        private readonly record struct Moment(int Changes, TimeSpan Later)
        {
            public override string ToString() => FormattableString.Invariant($"{Changes} changes and {Later.TotalMilliseconds:0.0} ms");
        }
    }
}
