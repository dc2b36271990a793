// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>One round of each benchmark with several threads, without timing: it must run and give the right answer.</summary>
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
    public void Every_way_of_connecting_threads_reads_the_same(
        [ValueSource(typeof(ThreadReads), nameof(ThreadReads.Ways))] string way,
        [Values("WAL", "DELETE")] string journal,
        [Values("empty", "filled")] string table
    )
    {
        var reads = new ThreadReads
        {
            Way = way,
            Journal = journal,
            Table = table,
            Threads = 4,
        };
        MicroBenchmarkTests.RunOnce(reads);
    }

    [Test]
    public void Every_way_of_connecting_threads_writes_the_same(
        [ValueSource(typeof(ThreadMix), nameof(ThreadMix.Ways))] string way,
        [Values("WAL", "DELETE")] string journal
    )
    {
        var writes = new ThreadWrites
        {
            Way = way,
            Journal = journal,
            Table = "empty",
            Threads = 3,
        };
        MicroBenchmarkTests.RunOnce(writes);
        var mix = new ThreadMix
        {
            Way = way,
            Journal = journal,
            Table = "filled",
            Threads = 3,
        };
        MicroBenchmarkTests.RunOnce(mix);
    }

    [Test]
    public void Every_look_up_finds_its_block(
        [Values("id", "hash")] string key,
        [Values("hot", "cold")] string cache,
        [Values("none", "commits")] string writer
    )
    {
        var lookUp = new LookUpBlocks
        {
            Key = key,
            Cache = cache,
            Writer = writer,
            Readers = 2,
        };
        MicroBenchmarkTests.RunOnce(lookUp);
    }

    [Test]
    public void Every_way_of_inserting_batches_leaves_all_rows(
        [ValueSource(typeof(InsertBatches), nameof(InsertBatches.Ways))] string way,
        [Values(1, 100, 10_000)] int rows
    )
    {
        var insert = new InsertBatches
        {
            Way = way,
            BatchRows = rows,
            Synchronous = "NORMAL",
        };
        MicroBenchmarkTests.RunOnce(insert);
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

    [TestCase("commits", "synchronous FULL")]
    [TestCase("threads", "synchronous NORMAL")]
    [TestCase("batches", "Synchronous")]
    public void A_group_says_how_durable_its_commits_are(string group, string durability) =>
        Assert.That(BenchmarkGroups.Durability(group), Does.Contain(durability));
}
