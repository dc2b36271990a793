// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.WriterQueue;

namespace Duplicati.UnitTest.SQLiteHelper.WriterQueue;

[TestFixture]
internal sealed class CommitQueueStressTests
{
    private const int Writers = 8;

    /// <summary>Threads write, fail and cancel at random; what they were told and what is in the table must be the same.</summary>
    [TestCase(400)]
    [TestCase(50_000, Explicit = true, Category = LongRun.Category)]
    public void What_eight_writers_were_told_is_what_is_there(int steps)
    {
        var seed = LongRun.Seed();
        using var queueCase = new CommitQueueCase(new CommitQueueOptions { Capacity = 5, MostWorksPerCommit = 4 });
        var told = new List<long>[Writers];
        Parallel.ForEach(
            Enumerable.Range(0, Writers),
            new ParallelOptions { MaxDegreeOfParallelism = Writers },
            writer => told[writer] = RunAsync(queueCase.Queue, writer, steps, new Random(seed + writer)).GetAwaiter().GetResult()
        );

        for (var writer = 0; writer < Writers; writer++)
            Assert.That(queueCase.Values($"\"Writer\" = {writer}"), Is.EqualTo(told[writer]), $"writer {writer}, in this order");
        Assert.That(queueCase.Queue.Commits, Is.LessThan(queueCase.Queue.CommittedWorks));
    }

    private static async Task<List<long>> RunAsync(CommitQueue queue, int writer, int steps, Random random)
    {
        var pending = new List<(long Value, Task Task, bool MayFail, CancellationTokenSource? Source)>();
        var told = new List<long>();
        for (var step = 0; step < steps; step++)
        {
            var value = ((long)writer << 32) + step;
            switch (random.Next(6))
            {
                case 0:
                    pending.Add((value, queue.RunAsync(Failing(value, writer)), true, null));
                    break;
                case 1:
                    var source = new CancellationTokenSource();
                    pending.Add((value, queue.RunAsync(CommitQueueCase.Write(value, writer), source.Token), true, source));
                    break;
                case 2:
                    pending.Add((value, await queue.EnqueueAsync(CommitQueueCase.Write(value, writer)), false, null));
                    break;
                default:
                    pending.Add((value, queue.RunAsync(CommitQueueCase.Write(value, writer)), false, null));
                    break;
            }

            if (random.Next(4) == 0)
                await SettleAsync(pending, told);
        }

        await SettleAsync(pending, told);
        return told;
    }

    private static async Task SettleAsync(
        List<(long Value, Task Task, bool MayFail, CancellationTokenSource? Source)> pending,
        List<long> told
    )
    {
        foreach (var (value, task, mayFail, source) in pending)
        {
            if (source is not null)
                await source.CancelAsync();
            await Task.WhenAny(task);
            if (task.IsCompletedSuccessfully)
                told.Add(value);
            else if (!mayFail)
                await task;
            source?.Dispose();
        }

        pending.Clear();
    }

    private static Func<Library.SQLiteHelper.Statements.StatementCache, long> Failing(long value, long writer) =>
        statements =>
        {
            CommitQueueCase.Write(value, writer)(statements);
            throw new FormatException("after the row was written");
        };
}
