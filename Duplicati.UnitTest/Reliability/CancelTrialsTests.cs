// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Scale;

namespace Duplicati.UnitTest.Reliability;

/// <summary>Each long member is cancelled at random times: it ends, leaves nothing behind, and its object can be used again.</summary>
[TestFixture]
public class CancelTrialsTests
{
    [Test]
    public Task A_member_that_is_cancelled_ends_and_leaves_nothing_behind() => RunAsync(new VersionedBackup(10, 100, 10, 100), 2);

    /// <summary>
    /// On a million blocks, 200 cancels each. Prints how long a cancelled member goes on, and how long a call keeps its caller.
    /// </summary>
    [Test]
    [Explicit]
    [Category(LongRun.Category)]
    public Task Long_run_of_cancels() => RunAsync(new VersionedBackup(100, 1000, 10, 500), LongRun.Count(200));

    private static async Task RunAsync(VersionedBackup backup, int count)
    {
        using var folder = new TestFolder();
        backup.Make(folder.File("db.sqlite"));
        var trials = new CancelTrials(folder.File("db.sqlite"), backup.Versions, new Random(LongRun.Seed()));
        foreach (var member in CancelTrials.Members)
        {
            var figures = await trials.RunAsync(member, count);
            TestContext.Out.WriteLine(figures);
            Assert.That(figures.Blocked, Has.Count.EqualTo(count), member.Name);
            Assert.That(figures.Latencies, Has.Count.LessThanOrEqualTo(count), member.Name);
        }
    }
}
