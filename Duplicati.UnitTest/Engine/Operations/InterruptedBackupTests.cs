using System.Diagnostics;
using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// Backups in a process of their own are killed around their uploads, and continued. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "FullyQualifiedName~InterruptedBackupTests" -- NUnit.ExplicitMode=Relaxed</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class InterruptedBackupTests
{
    private const int MostMicroseconds = 2000;
    private const string Deleted = "Deleted";

    [TestCase(6)]
    [TestCase(500, Explicit = true)]
    public async Task A_killed_backup_is_continued(int rounds)
    {
        var seed = Environment.TickCount;
        TestContext.Out.WriteLine($"Seed {seed}");
        var random = new Random(seed);
        using var backup = new BackupCase(x => x with { VolumeSize = 20 * 1024, SmallFileMaxCount = 4 });
        SourceTree.Make(backup.Source, random);
        if (random.Next(2) == 0)
            await backup.BackUpAsync();
        var made = 0;
        for (var round = 0; round < rounds; round++)
        {
            Change(backup.Source, round, random);
            for (var kills = random.Next(1, 3); kills > 0; kills--)
                Kill(backup, random);
            made += await ContinueAsync(backup, $"round {round}", random) ? 1 : 0;
        }

        TestContext.Out.WriteLine($"{made} of {rounds} rounds made a version of what had been recorded");
        Assert.That(made, Is.Positive);
    }

    /// <summary>Backs up once more after kills, and checks everything.</summary>
    /// <returns>True if a version was made of what had been recorded.</returns>
    private static async Task<bool> ContinueAsync(BackupCase backup, string when, Random random)
    {
        Upload(backup, random);
        if (random.Next(3) == 0)
            Change(backup.Source, -1, random);
        if (random.Next(3) == 0)
            await new CompactOperation(backup.Options, SilentProgress.Instance).RunAsync(default);
        var before = DatabaseDump.Load(backup.Options.DatabasePath);
        await backup.BackUpAsync();
        var after = DatabaseDump.Load(backup.Options.DatabasePath);

        var isMade = AssertRecordedIsKept(before, after, when);
        Assert.That(Directory.GetFiles(backup.Remote).Select(Path.GetFileName), Is.EquivalentTo(after.RemoteVolumes.Where(x => x.State != Deleted).Select(x => x.Name)), when);
        Assert.That(after.RemoteVolumes.Select(x => x.State), Is.All.EqualTo("Verified").Or.EqualTo(Deleted), when);
        Assert.That(after.Configuration.Keys, Has.None.EqualTo("terminated-with-active-uploads"), when);
        Assert.That(after.DuplicateBlocks, Is.Empty, when);
        Assert.That(after.IndexBlockLinks.Select(x => x.BlockVolume), Is.EquivalentTo(after.RemoteVolumes.Where(x => x is { Type: "Blocks", State: not Deleted }).Select(x => x.Name)), when);
        await backup.AssertSoundAsync(when);
        await backup.AssertRecreateEqualsAsync(when);
        for (var version = after.Filesets.Count() - 1; version > 0; version--)
            await backup.RestoredAsync(version);
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)), when);
        return isMade;
    }

    // What was recorded and is not in a lost volume is in a partial version now, and nothing that was in neither version.
    private static bool AssertRecordedIsKept(DatabaseDump before, DatabaseDump after, string when)
    {
        var lists = before.RemoteVolumes.ToDictionary(x => x.Name, x => x.State);
        var interrupted = before.Filesets.Where(x => lists[x.Volume!] is "Temporary" or "Uploading" && x.Entries.Any()).OrderBy(x => x.Timestamp).LastOrDefault();
        if (interrupted is null || after.Filesets.Any(x => x.Volume == interrupted.Volume))
            return false;

        var made = after.Filesets.FirstOrDefault(x => x.IsFull == 0 && x.Timestamp > interrupted.Timestamp && !before.Filesets.Any(y => y.Volume == x.Volume));
        var isWhole = before.RemoteVolumes.All(x => x.Type != "Blocks" || x.State is "Uploaded" or "Verified" or Deleted);
        Assert.That(made, isWhole ? Is.Not.Null : Is.Null.Or.Not.Null, when);
        if (made is null)
            return false;

        if (isWhole)
            Assert.That(interrupted.Entries, Is.SubsetOf(made.Entries), when);
        Assert.That(made.Entries, Is.SubsetOf(before.Filesets.SelectMany(x => x.Entries)), when);
        Assert.That(made.Entries.Select(x => x.Path.TrimEnd('/')), Is.Unique, when);
        return true;
    }

    private static void Change(string root, int round, Random random)
    {
        SourceTree.Write(root, $"added/{round}", random.Next(1, 60_000), random);
        SourceTree.Write(root, $"changing/{random.Next(3)}", random.Next(1, 90_000), random);
        // A folder becomes a file, and the other way round.
        var name = Path.Combine(root, $"kind/{random.Next(3)}");
        if (Directory.Exists(name))
            Directory.Delete(name, recursive: true);
        else if (File.Exists(name))
            File.Delete(name);
        SourceTree.Write(root, Path.GetRelativePath(root, name) + (random.Next(2) == 0 ? "/inner" : ""), random.Next(20_000), random);
        if (random.Next(3) == 0)
            File.Delete(Path.Combine(root, $"added/{round - random.Next(1, 4)}"));
    }

    // What a remote store shows of uploads that a killed process had begun: nothing, a part, or the whole file.
    private static void Upload(BackupCase backup, Random random)
    {
        foreach (var volume in DatabaseDump.Load(backup.Options.DatabasePath).RemoteVolumes.Where(x => x.State is "Uploading" or "Temporary"))
        {
            var path = Path.Combine(backup.Remote, volume.Name);
            if (!File.Exists(path) && random.Next(3) == 0)
                File.WriteAllBytes(path, new byte[random.Next(2) * random.Next(1000)]);
        }
    }

    private static void Kill(BackupCase backup, Random random)
    {
        string[] arguments = [backup.Remote, backup.Options.DatabasePath, backup.Source, $"{backup.Options.VolumeSize}", $"{random.Next(1, 14)}", $"{random.Next(MostMicroseconds)}"];
        var start = new ProcessStartInfo(ChildProcess.Host, ["exec", ChildProcess.Program, typeof(BackupChild).FullName!, .. arguments]) { RedirectStandardError = true };
        // What a killed process leaves among the temporary files goes with the test.
        start.Environment["TMPDIR"] = Directory.CreateDirectory(backup.File("temporary")).FullName;
        using var child = Process.Start(start)!;
        var errors = child.StandardError.ReadToEnd();
        child.WaitForExit();
        Assert.That(errors, Is.Empty);
    }

    /// <summary>Dies at a message of the backup, or a little later.</summary>
    private sealed class Dying(int message, int microseconds) : IEngineProgress
    {
        private int m_messages;

        public void Message(string text)
        {
            if (Interlocked.Increment(ref m_messages) == message)
                new Thread(Die) { Priority = ThreadPriority.Highest }.Start();
        }

        public void Warning(string text)
        {
        }

        public void Advance(string phase, long done, long total)
        {
        }

        private void Die()
        {
            for (var clock = Stopwatch.StartNew(); clock.Elapsed.TotalMicroseconds < microseconds;)
                Thread.SpinWait(10);
            ChildProgram.Die();
        }
    }

    private sealed class BackupChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            int Number(int index) => int.Parse(args[index], CultureInfo.InvariantCulture);
            var options = new EngineOptions { Remote = args[0], DatabasePath = args[1], BlockSize = 1024, VolumeSize = Number(3), Parallelism = 2 };
            new BackupOperation(options, new Dying(Number(4), Number(5))).RunAsync([args[2]], default).GetAwaiter().GetResult();
            return 0;
        }
    }
}
