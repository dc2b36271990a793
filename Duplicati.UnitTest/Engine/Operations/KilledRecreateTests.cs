using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// Recreates in processes of their own are killed at random moments and run again. The long runs:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~KilledRecreateTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class KilledRecreateTests
{
    private static readonly string[] s_presets = ["default", "rebuild", "small"];

    [TestCase(6, 12)]
    [TestCase(20, 300, Explicit = true, Category = LongRun.Category)]
    [TestCase(500, 300, Explicit = true, Category = LongRun.Category)]
    public async Task A_killed_recreate_goes_on_and_equals_the_undisturbed_one(int rounds, int files)
    {
        var seed = Environment.TickCount;
        TestContext.Out.WriteLine($"Seed {seed}");
        var random = new Random(seed);
        using var test = await RecreateCase.MakeAsync(random, files);
        int killed = 0, again = 0, most = 0;
        for (var round = 0; round < rounds; round++)
        {
            var fetched = new List<string>();
            var preset = s_presets[random.Next(s_presets.Length)];
            var kills = 0;
            while (Run(test, preset, random.Next(1, test.Volumes + 1), random.Next(20), fetched))
            {
                kills++;
                if (kills < 3)
                    continue;
                // And to the end.
                Assert.That(Run(test, preset, int.MaxValue, 0, fetched), Is.False);
                break;
            }

            var repeated = fetched.Count - fetched.Distinct().Count();
            Assert.That(repeated, Is.LessThanOrEqualTo(kills * RecreateCase.MostInFlight), $"round {round}, preset {preset}");
            (killed, again, most) = (killed + kills, again + repeated, Math.Max(most, repeated));
            test.AssertComplete($"round {round}, preset {preset}");
            using (var connection = SQLiteLoader.LoadConnection(test.Database))
                Assert.That(connection.Pragma("integrity_check"), Is.EqualTo("ok"), $"round {round}");
            File.Delete(test.Database);
        }

        TestContext.Out.WriteLine($"{rounds} recreates of {test.Volumes} volumes were killed {killed} times; {again} volumes were read again, at most {most} in one recreate, and none that was done");
        Assert.That(killed, Is.Positive);
    }

    /// <returns>True if the process was killed.</returns>
    private static bool Run(RecreateCase test, string preset, int at, int milliseconds, List<string> fetched)
    {
        var log = test.Backup.File("fetched");
        File.Delete(log);
        var done = RecreateCase.Done(test.Database);
        // What a killed process leaves among the temporary files goes with the test.
        var temporary = Directory.CreateDirectory(test.Backup.File("temporary")).FullName;
        var (code, _, error) = ChildProcess.Run(
            "env", $"TMPDIR={temporary}", ChildProcess.Host, "exec", ChildProcess.Program, typeof(Child).FullName!, test.Backup.Remote, test.Database, preset, log, $"{at}", $"{milliseconds}");
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
            var (log, at, milliseconds) = (args[3], int.Parse(args[4], CultureInfo.InvariantCulture), int.Parse(args[5], CultureInfo.InvariantCulture));
            var count = 0;
            var options = new EngineOptions { Remote = args[0], DatabasePath = args[1], Preset = args[2], VolumeSize = 20 * 1024, Parallelism = 2 };
            new RecreateOperation(options, SilentProgress.Instance) { Through = x => new WatchedFolder(x, Fetching) }.RunAsync(default).GetAwaiter().GetResult();
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
