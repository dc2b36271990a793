// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// Recreates in processes of their own are killed at random moments, once there is a log, and run again. The long runs:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~KilledRecreateTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class KilledRecreateTests
{
    private const string Indexes = """SELECT "name" FROM "sqlite_master" WHERE "type" = 'index'""";

    private static readonly string[] s_presets = ["default", "rebuild", "small"];

    [TestCase(6, 12)]
    [TestCase(1500, 300, Explicit = true, Category = LongRun.Category)]
    public async Task A_killed_recreate_goes_on_and_equals_the_undisturbed_one(int wanted, int files)
    {
        wanted = LongRun.Count(wanted);
        var random = new Random(LongRun.Seed());
        using var test = await RecreateCase.MakeAsync(random, files);
        int killed = 0,
            again = 0,
            most = 0,
            large = 0,
            round = 0;
        for (; killed < wanted; round++)
        {
            var fetched = new List<string>();
            var preset = s_presets[random.Next(s_presets.Length)];
            var kills = 0;
            while (Run(test, preset, random.Next(1, test.Volumes + 1), random.Next(20), fetched))
            {
                kills++;
                if (File.Exists(test.Database))
                    await AssertOpensAsync(test, $"round {round}, preset {preset}, kill {kills}");
                // Killed after all was done: the next one would refuse the file.
                if (File.Exists(test.Database) && !UnfinishedRecreate.Is(test.Database))
                    break;
                if (kills < 3)
                    continue;
                // And to the end.
                Assert.That(Run(test, preset, int.MaxValue, 0, fetched), Is.False);
                break;
            }

            var repeated = fetched.Count - fetched.Distinct().Count();
            // Index volumes are small and read ahead; of the others one at a time is at work.
            var others = fetched.Where(x => !x.Contains(".dindex.", StringComparison.Ordinal)).ToList();
            var repeatedOthers = others.Count - others.Distinct().Count();
            Assert.That(repeatedOthers, Is.LessThanOrEqualTo(kills), $"round {round}, preset {preset}");
            Assert.That(repeated, Is.LessThanOrEqualTo(kills * RecreateCase.MostInFlight), $"round {round}, preset {preset}");
            (killed, again, most, large) = (killed + kills, again + repeated, Math.Max(most, repeated), large + repeatedOthers);
            test.AssertComplete($"round {round}, preset {preset}");
            Databases.AssertSound(test.Database, $"round {round}");
            File.Delete(test.Database);
        }

        TestContext.Out.WriteLine(
            $"{round} recreates of {test.Volumes} volumes were killed {killed} times; {again} volumes were read again, {large} of them file lists or block volumes, at most {most} in one recreate, and none that was done"
        );
    }

    [TestCase(4, 4)]
    [TestCase(300, 60, Explicit = true, Category = LongRun.Category)]
    public async Task A_killed_replacement_leaves_the_old_database_until_the_new_one_is_complete(int wanted, int files)
    {
        wanted = LongRun.Count(wanted);
        var random = new Random(LongRun.Seed());
        using var test = await RecreateCase.MakeAsync(random, files);
        var old = File.ReadAllBytes(test.Backup.Options.DatabasePath);
        int killed = 0,
            replaced = 0;
        while (killed < wanted)
        {
            File.WriteAllBytes(test.Database, old);
            var preset = s_presets[random.Next(s_presets.Length)];
            // Half of them at the end, where the one takes the place of the other.
            var at = random.Next(2) == 0 ? test.Volumes : random.Next(1, test.Volumes + 1);
            if (Run(test, preset, at, random.Next(400), [], overwrite: true))
            {
                killed++;
                // The new one has all it needs before it has the name; its mark may still be there.
                if (!File.ReadAllBytes(test.Database).AsSpan().SequenceEqual(old) && replaced++ >= 0)
                    Assert.That(
                        Databases
                            .Compare(test.Whole, test.Database, DumpComparisonOptions.Logical)
                            .Select(x => x.ToString())
                            .Where(x => !IsMark(x)),
                        Is.Empty,
                        $"preset {preset}"
                    );
                var goesOn = UnfinishedRecreate.Is(test.Beside) || UnfinishedRecreate.Is(test.Database);
                Assert.That(Run(test, preset, int.MaxValue, 0, [], overwrite: !goesOn), Is.False, $"preset {preset}");
            }

            test.AssertComplete($"preset {preset}");
        }

        TestContext.Out.WriteLine($"{killed} replacements were killed, {replaced} of them after the new one had its name");
    }

    private static async Task AssertOpensAsync(RecreateCase test, string when)
    {
        using var folder = new TestFolder();
        var copy = folder.File("copy.sqlite");
        Databases.CopyKilled(test.Database, copy);
        ReleaseBefore.AssertRefusesOrFindsAll(copy);
        await using (await LocalDatabase.CreateLocalDatabaseAsync(copy, "Open", true, null, default))
            Assert.That(SampleDatabase.Rows(copy, Indexes), Is.EqualTo(SampleDatabase.Rows(test.Whole, Indexes)), when);
        Databases.AssertSound(copy, when);
    }

    private static bool IsMark(string difference) =>
        difference.StartsWith("configuration + unfinished-recreate", StringComparison.Ordinal)
        || difference.StartsWith("schema_objects + [\"table\", \"recreatevolume\"", StringComparison.Ordinal);

    /// <returns>True if the process was killed.</returns>
    private static bool Run(RecreateCase test, string preset, int at, int milliseconds, List<string> fetched, bool overwrite = false)
    {
        var log = test.Backup.File("fetched");
        File.Delete(log);
        var done = overwrite ? [] : RecreateCase.Done(File.Exists(test.Beside) ? test.Beside : test.Database);
        var (code, _, error) = KilledChild.Run<Child>(
            test.Backup.File("temporary"),
            test.Backup.Remote,
            test.Database,
            preset,
            log,
            $"{at}",
            $"{milliseconds}",
            $"{overwrite}"
        );
        var now = File.Exists(log) ? File.ReadAllLines(log) : [];
        Assert.That(now.Intersect(done), Is.Empty, "read again although it was done");
        fetched.AddRange(now);
        if (code == 0)
            return false;
        Assert.That(error, Is.Empty);
        return true;
    }

    private sealed class Child : IChildProgram
    {
        public static int Run(string[] args)
        {
            var (log, at, milliseconds) = (
                args[3],
                int.Parse(args[4], CultureInfo.InvariantCulture),
                int.Parse(args[5], CultureInfo.InvariantCulture)
            );
            var count = 0;
            var options = new EngineOptions
            {
                Remote = args[0],
                DatabasePath = args[1],
                Preset = args[2],
                VolumeSize = 20 * 1024,
                Parallelism = 2,
            };
            new RecreateOperation(options, SilentProgress.Instance)
            {
                Overwrite = bool.Parse(args[6]),
                Through = x => new WatchedFolder(x, Fetching),
            }
                .RunAsync(default)
                .GetAwaiter()
                .GetResult();
            return 0;

            void Fetching(string name)
            {
                lock (log)
                    File.AppendAllText(log, name + "\n");
                if (Interlocked.Increment(ref count) == at)
                    _ = Task.Delay(milliseconds).ContinueWith(_ => ChildProgram.Die(), TaskScheduler.Default);
            }
        }
    }
}
