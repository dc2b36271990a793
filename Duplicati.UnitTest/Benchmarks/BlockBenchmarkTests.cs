// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Each question about blocks in each way, on a database of its own: all ways must give the same answers and leave the same rows.</summary>
[TestFixture]
public class BlockBenchmarkTests
{
    private const int Rows = 2000;
    private const int Count = 400;
    private const int BlocksPerFile = 100;

    private const string AllBlocks = """SELECT "ID" || ' ' || "Hash" || ' ' || "Size" || ' ' || "VolumeID" FROM "Block" ORDER BY "ID" """;

    private const string AllEntries = """
        SELECT "BlocksetID" || ' ' || "Index" || ' ' || "BlockID" FROM "BlocksetEntry" ORDER BY "BlocksetID", "Index"
        """;

    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    [Test]
    public void Every_way_gives_the_same_answers_and_leaves_the_same_rows()
    {
        var expected = Ask(BlockWays.Provider);
        Assert.That(expected.Answers[1], Is.EqualTo(Fold(Enumerable.Range(0, Count).Select(step => Block(Count + step) + 1L))), "hits");
        Assert.That(expected.Answers[2], Is.EqualTo(Fold(Enumerable.Repeat(-1L, Count))), "misses");
        Assert.That(expected.Answers[3], Is.EqualTo(Count / 2), "every second one was there");
        Assert.That(expected.Rows, Has.Length.EqualTo(Rows + (2 * Count) + (Rows + Count)), "blocks, and entries of blocksets");
        foreach (var way in BlockWays.All)
        {
            var (answers, rows) = Ask(way);
            Assert.That(answers, Is.EqualTo(expected.Answers), way);
            Assert.That(rows, Is.EqualTo(expected.Rows), way);
        }
    }

    private static (long[] Answers, string[] Rows) Ask(string way)
    {
        using var folder = new TestFolder();
        var path = folder.File("blocks.sqlite");
        File.Copy(BlockDatabase.TemplateWithBlocksets(Rows), path);
        _ = BlockKeys.Get(Rows + (2 * Count));
        using var connection = ConnectionOpener.Standard.Open(path, ConnectionOptions.Default);
        using var statements = new StatementCache(connection);
        using var contender = BlockWays.Open(way, new BlockQuestions(5 * Count, Block), statements);
        List<long> answers = [contender.JoinAll(Rows / BlockDatabase.BlocksPerBlockset)];
        answers.AddRange([contender.Select(Count, Count), contender.Select(2 * Count, Count)]);
        contender.Begin();
        contender.Insert(2 * Count, Count);
        answers.AddRange([contender.SelectThenInsert(3 * Count, Count), contender.InsertThenSelect(4 * Count, Count)]);
        contender.Commit();
        contender.AddBlocksets(Count / BlocksPerFile, BlocksPerFile, BlockDatabase.Blocksize);
        return ([.. answers], [.. SampleDatabase.Rows(path, AllBlocks), .. SampleDatabase.Rows(path, AllEntries)]);
    }

    // The parts: full ones of new blocksets, hits, misses that are inserted, and twice every second one a hit.
    private static int Block(int question)
    {
        var step = question % Count;
        return (question / Count) switch
        {
            0 => new FullBlocks(Rows).Index(step),
            1 => BlockTable.Scatter(step, Rows),
            2 => Rows + step,
            var part when step % 2 == 1 => Rows + Count + ((part - 3) * Count / 2) + (step / 2),
            _ => BlockTable.Scatter(step, Rows),
        };
    }

    private static long Fold(IEnumerable<long> ids) => ids.Aggregate(0L, BlockContender.Fold);
}
