// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.SQLiteHelper.WriterQueue;
using Duplicati.UnitTest.Reliability.Storage;

namespace Duplicati.UnitTest.SQLiteHelper.WriterQueue;

/// <summary>
/// Queues in a process of their own that is killed, or whose disk is full. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~CommitQueueKillTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class CommitQueueKillTests
{
    private const int Writers = 4;
    private const string Database = "queue.sqlite";

    [TestCase(8)]
    [TestCase(1000, Explicit = true, Category = LongRun.Category)]
    public void Every_acknowledged_row_is_there_after_a_kill(int kills)
    {
        kills = LongRun.Count(kills);
        var random = new Random(LongRun.Seed());
        var rows = 0;
        using var folder = new TestFolder();
        for (var kill = 0; kill < kills; kill++)
        {
            var notes = folder.File("acknowledged-0");
            Assert.That(
                KilledChild.KillAfter<WritingChild>(random.Next(200), folder.File("temporary"), notes, folder.Path, $"{kill}"),
                Is.Null
            );
            var stored = CommitQueueCase.Read(folder.File(Database), "SELECT \"Value\" FROM \"Row\"").ToHashSet();
            var acknowledged = Directory
                .GetFiles(folder.Path, "acknowledged-*")
                .SelectMany(KilledChild.Notes)
                .Select(x => long.Parse(x, CultureInfo.InvariantCulture))
                .ToList();
            Assert.That(acknowledged.Where(value => !stored.Contains(value)), Is.Empty, $"acknowledged and lost by kill {kill}");
            Assert.That(
                stored,
                Has.Count.InRange(acknowledged.Count, acknowledged.Count + ((kill + 1) * Writers)),
                "a writer has one row on its way"
            );
            Databases.AssertSound(folder.File(Database), $"after kill {kill}");

            rows = acknowledged.Count;
        }

        TestContext.Out.WriteLine($"{rows} rows were acknowledged");
        Assert.That(rows, Is.Positive);
    }

    [Test]
    public void A_full_disk_is_told_to_all_and_what_was_acknowledged_is_kept()
    {
        using var folder = new TestFolder();
        var run = LimitedDisk.TryMount(
            "mount -t tmpfs -o size=600k,mode=700 none",
            folder.Path,
            [ChildProcess.Host, "exec", ChildProcess.Program, typeof(FullDiskChild).FullName!, folder.Path]
        );
        if (run is not var (code, output, error))
        {
            Assert.Ignore("No small file system can be mounted here.");
            return;
        }

        Assert.That(code, Is.Zero, error);
        TestContext.Out.WriteLine(output);
        Assert.That(output, Does.Contain("lost 0").And.Contain("after 1"));
        Assert.That(output, Does.Match("errors 13(,13){7}\n"), "one for each writer");
    }

    /// <summary>Writes until it is killed, and notes what was acknowledged. Arguments: the folder, the number of the round.</summary>
    private sealed class WritingChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            ChildProgram.EndWithParent();
            var queue = CommitQueue.Open(Path.Combine(args[0], Database));
            queue
                .RunAsync(statements =>
                    statements.Execute(CommitQueueCase.Create.Replace("TABLE", "TABLE IF NOT EXISTS", StringComparison.Ordinal))
                )
                .GetAwaiter()
                .GetResult();
            KilledChild.Begin();
            var round = long.Parse(args[1], CultureInfo.InvariantCulture);
            var threads = Enumerable.Range(0, Writers).Select(writer => new Thread(() => Write(queue, args[0], round, writer))).ToList();
            threads.ForEach(thread => thread.Start());
            threads.ForEach(thread => Wait.ForEnd(thread, "a writer, which is killed before"));
            return 0;
        }

        private static void Write(CommitQueue queue, string folder, long round, int writer)
        {
            using var notes = new FileStream(
                Path.Combine(folder, $"acknowledged-{writer}"),
                FileMode.Append,
                FileAccess.Write,
                FileShare.Read,
                1
            );
            for (var i = 0; ; i++)
            {
                var value = (((round * Writers) + writer) << 32) + i;
                queue.RunAsync(CommitQueueCase.Write(value, writer)).GetAwaiter().GetResult();
                notes.Write(System.Text.Encoding.ASCII.GetBytes($"{value}\n"));
                notes.Flush(flushToDisk: true);
            }
        }
    }

    /// <summary>
    /// Writes on a disk that becomes full, from eight threads until each has had an error; makes room and writes once more. Argument: the
    /// disk.
    /// </summary>
    private sealed class FullDiskChild : IChildProgram
    {
        private const int Callers = 8;

        public static int Run(string[] args)
        {
            var path = Path.Combine(args[0], Database);
            var ballast = Path.Combine(args[0], "ballast");
            File.WriteAllBytes(ballast, new byte[200_000]);
            var acknowledged = new List<long>[Callers];
            var errors = new int[Callers];
            long after;
            using (var queue = CommitQueue.Open(path))
            {
                queue.RunAsync(statements => statements.Execute(CommitQueueCase.Create)).GetAwaiter().GetResult();
                Parallel.ForEach(
                    Enumerable.Range(0, Callers),
                    new ParallelOptions { MaxDegreeOfParallelism = Callers },
                    caller => errors[caller] = Fill(queue, caller, acknowledged[caller] = [])
                );
                File.Delete(ballast);
                queue.RunAsync(CommitQueueCase.Write(-1)).GetAwaiter().GetResult();
                after = CommitQueueCase.Read(path, "SELECT COUNT(*) FROM \"Row\" WHERE \"Value\" = -1")[0];
            }

            var stored = CommitQueueCase.Read(path, "SELECT \"Value\" FROM \"Row\"").ToHashSet();
            Console.WriteLine(
                $"acknowledged {acknowledged.Sum(list => list.Count)}, lost {acknowledged.Sum(list => list.Count(value => !stored.Contains(value)))}, after {after}, errors {string.Join(',', errors)}"
            );
            return 0;
        }

        // The log grows by a page or more with each commit until the disk has none left.
        private static int Fill(CommitQueue queue, long caller, List<long> acknowledged)
        {
            for (var i = 0L; ; i++)
            {
                try
                {
                    var value = (caller << 32) + i;
                    queue.RunAsync(CommitQueueCase.Write(value, caller)).GetAwaiter().GetResult();
                    acknowledged.Add(value);
                }
                catch (CommitFailedException ex)
                {
                    return ex.SqliteErrorCode;
                }
            }
        }
    }
}
