// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// Operations in a process of their own are killed at random times. The long runs:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~KillTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class KillTests
{
    // So many times as often is tried until one is hit.
    private const int MostTimes = 10;
    private const string Indexes = """SELECT "name" FROM "sqlite_master" WHERE "type" = 'index'""";

    [TestCase(8)]
    [TestCase(5000, Explicit = true, Category = LongRun.Category)]
    public async Task A_killed_backup_is_settled_by_the_next_one(int kills)
    {
        kills = LongRun.Count(kills);
        var random = new Random(LongRun.Seed());
        using var backup = new BackupCase();
        SourceTree.Make(backup.Source, random);
        var clock = Stopwatch.StartNew();
        await backup.BackUpAsync();
        var whole = (int)clock.ElapsedMilliseconds;
        var killed = 0;
        for (var i = 0; i < kills || (killed == 0 && i < MostTimes * kills); i++)
        {
            SourceTree.Write(backup.Source, $"changing/{i % 5}", 150_000, random);
            killed += Kill<BackupChild>(backup, backup.Options.DatabasePath, random, ref whole) ? 1 : 0;
            using (var connection = SQLiteLoader.LoadConnection(backup.Options.DatabasePath))
                Assert.That(connection.Pragma("integrity_check"), Is.EqualTo("ok"), $"after kill {i}");
            SourceTree.Write(backup.Source, "changing/after", 20_000, random);
            await backup.BackUpAsync();
            await backup.AssertSoundAsync($"after the backup after kill {i}");
            Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)), $"after kill {i}");
            if (i % 4 == 3)
                await backup.AssertRecreateEqualsAsync($"after kill {i}");
        }

        TestContext.Out.WriteLine($"{killed} were killed before they ended");
        Assert.That(killed, Is.Positive);
    }

    [TestCase(6)]
    [TestCase(500, Explicit = true, Category = LongRun.Category)]
    [Contract("B 9.8 rule 10")]
    public async Task A_killed_recreate_leaves_what_opens_with_all_indexes_and_can_be_made_again(int kills)
    {
        kills = LongRun.Count(kills);
        var random = new Random(LongRun.Seed());
        using var backup = new BackupCase(x => x with { IndexPolicy = IndexPolicy.Lookup, VolumeSize = 20 * 1024 });
        SourceTree.Make(backup.Source, random);
        for (var i = 0; i < 3; i++)
        {
            SourceTree.Write(backup.Source, "changing", 200_000, random);
            await backup.BackUpAsync();
        }

        var whole = backup.File("whole.sqlite");
        var clock = Stopwatch.StartNew();
        await backup.RecreateAsync(whole);
        var time = (int)clock.ElapsedMilliseconds;
        var expected = SampleDatabase.Rows(whole, Indexes);
        var killed = 0;
        for (var i = 0; i < kills || (killed == 0 && i < MostTimes * kills); i++)
        {
            var path = backup.File($"killed-{i}.sqlite");
            killed += Kill<RecreateChild>(backup, path, random, ref time) ? 1 : 0;
            if (File.Exists(path))
                ReleaseBefore.AssertRefusesOrFindsAll(path);
            await using (await LocalDatabase.CreateLocalDatabaseAsync(path, "Open", true, null, default))
                Assert.That(SampleDatabase.Rows(path, Indexes), Is.EqualTo(expected), $"after kill {i}");
            using (var connection = SQLiteLoader.LoadConnection(path))
                Assert.That(connection.Pragma("integrity_check"), Is.EqualTo("ok"), $"after kill {i}");
            foreach (var file in Directory.GetFiles(backup.File("."), Path.GetFileName(path) + "*"))
                File.Delete(file);
            await backup.RecreateAsync(path);
            Assert.That(
                DatabaseComparison.CompareDatabases(whole, path, DumpComparisonOptions.Logical).Select(x => x.ToString()),
                Is.Empty,
                $"after kill {i}"
            );
        }

        TestContext.Out.WriteLine($"{killed} were killed before they ended");
        Assert.That(killed, Is.Positive);
    }

    /// <summary>Kills a child within twice the milliseconds that one takes, which are measured anew where the child ends by itself.</summary>
    /// <returns>False if it had ended by itself.</returns>
    private static bool Kill<T>(BackupCase backup, string database, Random random, ref int milliseconds)
        where T : IChildProgram
    {
        var ended = KilledChild.KillAfter<T>(
            random.Next(2 * milliseconds),
            backup.File("temporary"),
            null,
            backup.Remote,
            database,
            backup.Source,
            $"{backup.Options.VolumeSize}"
        );
        milliseconds = ended is { } time ? (int)time.TotalMilliseconds + 1 : milliseconds;
        return ended is null;
    }

    private static EngineOptions Options(string[] args) =>
        new()
        {
            Remote = args[0],
            DatabasePath = args[1],
            VolumeSize = long.Parse(args[3], System.Globalization.CultureInfo.InvariantCulture),
            Parallelism = 2,
        };

    private sealed class BackupChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            KilledChild.Begin();
            new BackupOperation(Options(args) with { BlockSize = 1024 }, SilentProgress.Instance)
                .RunAsync([args[2]], default)
                .GetAwaiter()
                .GetResult();
            return 0;
        }
    }

    private sealed class RecreateChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            KilledChild.Begin();
            new RecreateOperation(Options(args), SilentProgress.Instance).RunAsync(default).GetAwaiter().GetResult();
            return 0;
        }
    }
}
