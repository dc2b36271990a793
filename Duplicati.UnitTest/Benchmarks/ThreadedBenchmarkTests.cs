// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>One round of the benchmark with several threads, without timing: it must run and give the right answer.</summary>
[TestFixture]
internal sealed class ThreadedBenchmarkTests
{
    [OneTimeSetUp]
    public void BeQuick() => BenchmarkScale.IsQuick = true;

    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    [Test]
    public void Every_way_of_committing_leaves_all_rows([ValueSource(typeof(CommitRows), nameof(CommitRows.Ways))] string way)
    {
        var commit = new CommitRows { Way = way, Writers = 2 };
        MicroBenchmarkTests.RunOnce(commit);
    }

    [Test]
    public void A_thread_that_fails_fails_the_benchmark()
    {
        using var team = new ThreadTeam(
            3,
            number =>
            {
                if (number == 1)
                    throw new FormatException("one of three");
            }
        );
        Assert.That(team.Run, Throws.InvalidOperationException.With.InnerException.TypeOf<FormatException>());
    }

    [Test]
    public void Threads_that_were_never_let_to_work_do_nothing()
    {
        var worked = 0;
        new ThreadTeam(2, _ => Interlocked.Increment(ref worked)).Dispose();
        Assert.That(worked, Is.Zero);
    }

    [Test]
    public void A_group_says_how_durable_its_commits_are() =>
        Assert.That(BenchmarkGroups.Durability("commits"), Does.Contain("synchronous FULL"));
}
