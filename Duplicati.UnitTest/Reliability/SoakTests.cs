// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// Random operations one after the other. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~SoakTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class SoakTests
{
    private const int Kept = 5;
    private const int WarmUp = 10;

    [TestCase(4)]
    [TestCase(120, Explicit = true, Category = LongRun.Category)]
    public async Task Random_operations_make_no_error_and_nothing_grows(int seconds)
    {
        seconds = LongRun.Count(seconds);
        var random = new Random(LongRun.Seed());
        using var backup = new BackupCase(x => x with { VolumeSize = 100 * 1024 });
        SourceTree.Make(backup.Source, random);
        await backup.BackUpAsync();
        var counts = new SortedDictionary<string, int>(StringComparer.Ordinal);
        var levels = new List<Level>();
        var clock = Stopwatch.StartNew();
        while (levels.Count < 2 * WarmUp || clock.Elapsed.TotalSeconds < seconds)
        {
            var operation = await RunAsync(backup, random);
            counts[operation] = counts.GetValueOrDefault(operation) + 1;
            levels.Add(Level.Of(backup));
        }

        await backup.AssertSoundAsync("at the end");
        Assert.That(await backup.RestoredAsync(0), Has.Length.Positive);
        TestContext.Out.WriteLine(
            $"{string.Join(", ", counts.Select(x => $"{x.Value} {x.Key}"))}; first {levels[WarmUp]}, last {levels[^1]}"
        );
        AssertLevel(levels);
    }

    /// <summary>Runs one operation, chosen at random.</summary>
    /// <returns>Which one.</returns>
    private static async Task<string> RunAsync(BackupCase backup, Random random)
    {
        var versions = await new DatabaseListing(backup.Options.DatabasePath, "default").VersionsAsync(default);
        Assert.That(versions, Is.Not.Empty);
        switch (random.Next(6))
        {
            case 0 or 1:
                SourceTree.Write(backup.Source, $"changing/{random.Next(8)}", random.Next(40_000), random);
                await backup.BackUpAsync();
                return "backups";
            case 2:
                var entries = await new DatabaseListing(backup.Options.DatabasePath, "default").EntriesAsync(
                    random.Next(versions.Count),
                    new FilterExpression(),
                    default
                );
                Assert.That(entries, Has.Count.GreaterThan(SourceTree.OddNames.Length));
                return "listings";
            case 3 when versions.Count > 1:
                // All that are too many, and one more.
                var first = Math.Min(Kept, versions.Count - 1);
                var report = await new DeleteOperation(backup.Options, SilentProgress.Instance).RunAsync(
                    [.. Enumerable.Range(first, versions.Count - first).Select(x => (long)x)],
                    false,
                    default
                );
                Assert.That(report.Times, Has.Count.EqualTo(versions.Count - first));
                return "deletions";
            case 4:
                await new CompactOperation(backup.Options, SilentProgress.Instance).RunAsync(default);
                return "compacts";
            default:
                await backup.AssertSoundAsync("in between");
                return "verifications";
        }
    }

    // After the warm-up the content is of one size; half as much again and a fixed part are left for what comes and goes.
    private static void AssertLevel(List<Level> levels)
    {
        var early = levels.Skip(WarmUp / 2).Take(Math.Max(WarmUp, levels.Count / 4)).ToList();
        var late = levels.TakeLast(Math.Max(WarmUp / 2, levels.Count / 10)).ToList();
        Assert.That(late.Min(x => x.Database), Is.LessThan((early.Max(x => x.Database) * 3 / 2) + 1_000_000), "database");
        Assert.That(late.Max(x => x.Log), Is.Zero, "nobody has the database open between operations");
        Assert.That(late.Min(x => x.Memory), Is.LessThan((early.Max(x => x.Memory) * 3 / 2) + 20_000_000), "managed memory");
        Assert.That(late.Min(x => x.Handles), Is.LessThan(early.Max(x => x.Handles) + 20), "open files");
    }

    /// <summary>Sizes in bytes after an operation, and the number of open files of the process.</summary>
    private sealed record Level(long Database, long Log, long Memory, int Handles)
    {
        internal static Level Of(BackupCase backup)
        {
            var log = new FileInfo(backup.Options.DatabasePath + "-wal");
            return new Level(
                new FileInfo(backup.Options.DatabasePath).Length,
                log.Exists ? log.Length : 0,
                GC.GetTotalMemory(forceFullCollection: true),
                Directory.GetFileSystemEntries("/proc/self/fd").Length
            );
        }
    }
}
