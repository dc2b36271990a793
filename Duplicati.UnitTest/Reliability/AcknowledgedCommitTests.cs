// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// A process that writes a backup's rows is killed; what a commit returned for is there afterwards. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~AcknowledgedCommitTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class AcknowledgedCommitTests
{
    private const int FilesACommit = 5;
    private const string Database = "backup.sqlite";
    private const string Notes = "acknowledged";

    [TestCase(8)]
    [TestCase(5000, Explicit = true, Category = LongRun.Category)]
    public async Task Every_acknowledged_commit_is_there_after_a_kill(int kills)
    {
        kills = LongRun.Count(kills);
        var random = new Random(LongRun.Seed());
        var (acknowledged, unacknowledged) = (0, 0);
        var folder = new TestFolder();
        try
        {
            for (var kill = 0; kill < kills; kill++)
            {
                // A new file now and then: the long run would otherwise check ever more rows.
                if (kill % 50 == 49)
                {
                    folder.Dispose();
                    folder = new TestFolder();
                }

                Assert.That(
                    KilledChild.KillAfter<WritingChild>(random.Next(150), folder.File("temporary"), folder.File(Notes), folder.Path),
                    Is.Null
                );
                var noted = KilledChild.Notes(folder.File(Notes)).ToHashSet();
                var stored = await CommitsAsync(folder.File(Database), $"after kill {kill}");
                Assert.That(noted.Except(stored), Is.Empty, $"acknowledged and lost by kill {kill}");
                Assert.That(stored.Except(noted).Count(), Is.LessThanOrEqualTo((kill % 50) + 2), "one commit a process is on its way");
                acknowledged += noted.Count;
                unacknowledged += stored.Count - noted.Count;
            }
        }
        finally
        {
            folder.Dispose();
        }

        TestContext.Out.WriteLine($"{acknowledged} commits found again, {unacknowledged} that were not acknowledged");
        Assert.That(acknowledged, Is.Positive);
    }

    /// <summary>
    /// The commits that are in the database with all their entries; it is sound, and no commit is there without those before it.
    /// </summary>
    private static async Task<HashSet<string>> CommitsAsync(string path, string when)
    {
        Databases.AssertSound(path, when);
        await using (var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default))
            await database.VerifyConsistencyAsync(BackupFixture.Blocksize, 32, false, default);

        // A new file is durable before its entry is, so entries tell what was committed.
        var commits = SampleDatabase
            .Rows(path, """SELECT "File"."Path" FROM "FilesetEntry" JOIN "File" ON "File"."ID" = "FilesetEntry"."FileID" """)
            .GroupBy(x => Path.GetDirectoryName(x)![1..], StringComparer.Ordinal)
            .Where(x => x.Count() == FilesACommit)
            .Select(x => x.Key)
            .ToHashSet(StringComparer.Ordinal);
        foreach (
            var round in commits
                .Select(x => x.Split('-'))
                .GroupBy(x => x[0], x => int.Parse(x[1], CultureInfo.InvariantCulture), StringComparer.Ordinal)
        )
            Assert.That(round.Max(), Is.EqualTo(round.Count() - 1), when);
        return commits;
    }

    /// <summary>Commits files of a backup until it is killed, and notes each commit that returned. Argument: the folder.</summary>
    private sealed class WritingChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            ChildProgram.EndWithParent();
            WriteAsync(args[0]).GetAwaiter().GetResult();
            return 0;
        }

        private static async Task WriteAsync(string folder)
        {
            using var notes = new FileStream(Path.Combine(folder, Notes), FileMode.Append, FileAccess.Write, FileShare.Read, 1);
            await using var database = await LocalBackupDatabase.CreateAsync(Path.Combine(folder, Database), new Options([]), default);
            var round = (int)(await database.FilesetTimesAsync(default).CountAsync());
            var volume = await BackupRows.BeginAsync(database, round);
            await database.CommitAsync(default);
            KilledChild.Begin();
            for (var commit = 0; ; commit++)
            {
                var name = string.Create(CultureInfo.InvariantCulture, $"{round}-{commit}");
                for (var file = 0; file < FilesACommit; file++)
                    await BackupRows.AddAsync(database, volume, $"/{name}/{file}", (((round * 100_000) + commit) * FilesACommit) + file);
                await database.CommitAsync(default);
                notes.Write(System.Text.Encoding.ASCII.GetBytes(name + "\n"));
                notes.Flush(flushToDisk: true);
            }
        }
    }
}
