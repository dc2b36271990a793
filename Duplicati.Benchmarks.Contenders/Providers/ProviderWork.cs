// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Benchmarks.Contenders.Engines;
using Duplicati.Benchmarks.Contenders.Runs;
using Duplicati.Benchmarks.Micro;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>Puts all questions to a provider, on a copy of a database with so many blocks and with blocksets of them.</summary>
/// <param name="provider">Who is asked.</param>
/// <param name="path">The copy.</param>
/// <param name="rows">Blocks in it.</param>
/// <param name="operations">Blocks of each question.</param>
internal sealed class ProviderWork(Provider provider, string path, int rows, int operations)
{
    private const int BlocksPerFile = 100;
    private const string Hits = "select, hit";
    private const string Misses = "select, miss";
    private const string SelectXorInsert = "select xor insert";

    // What is asked first must not have been written by what is asked later. Each question has its own part of the blocks.
    private readonly (string Name, int Blocks, Func<BlockContender, long> Ask)[] m_questions =
    [
        (Hits, operations, contender => contender.Select(operations, operations)),
        (Misses, operations, contender => contender.Select(2 * operations, operations)),
        (
            "join of files to blocks",
            Files(operations) * BlocksetDatabase.BlocksPerBlockset,
            contender => contender.JoinAll(Files(operations))
        ),
        ("insert", operations, contender => InTransaction(contender, () => Insert(contender, 3 * operations, operations))),
        (SelectXorInsert, operations, contender => InTransaction(contender, () => contender.SelectThenInsert(4 * operations, operations))),
        (
            "insert or ignore, then select",
            operations,
            contender => InTransaction(contender, () => contender.InsertThenSelect(5 * operations, operations))
        ),
        ("new blocksets of known blocks", operations, contender => AddBlocksets(contender, operations)),
    ];

    /// <summary>Asks.</summary>
    public ContenderReply Run()
    {
        // The last part of the blocks are in no database.
        _ = BlockKeys.Get(rows + (3 * operations));
        var questions = new BlockQuestions(6 * operations, Index);
        _ = (questions.Texts, questions.Sizes, questions.Utf8);
        using var open = provider.Open(path, questions);
        List<Figure> figures = [];
        foreach (var (name, blocks, ask) in m_questions)
        {
            var last = Last();
            GC.Collect();
            var watch = Stopwatch.StartNew();
            var answer = ask(open.Contender);
            watch.Stop();
            if (Expected(name) is { } expected && answer != expected)
                throw new InvalidOperationException($"{name}: the answer is {answer}; it should be {expected}.");
            figures.Add(new Figure(name, Figure.Microseconds, watch.Elapsed.TotalMicroseconds / blocks, FoldNew(answer, last)));
        }

        return new ContenderReply(provider.Package, $"SQLite {open.Engine}", open.Settings, figures);
    }

    // What does not depend on any contender: the ids are those of the keys plus 1.
    private long? Expected(string name) =>
        name switch
        {
            Hits => Fold(0, Enumerable.Range(operations, operations).Select(x => Index(x) + 1L)),
            Misses => Fold(0, Enumerable.Repeat(-1L, operations)),
            SelectXorInsert => operations / 2,
            _ => null,
        };

    private static int Files(int operations) => Math.Max(1, operations / BlocksetDatabase.BlocksPerBlockset);

    // The parts: of new blocksets, hits, misses, inserts, and twice every second one a hit.
    private int Index(int question)
    {
        var step = question % operations;
        return (question / operations) switch
        {
            0 => new FullBlocks(rows).Index(step),
            1 => BlockTable.Scatter(step, rows),
            2 or 3 => rows + step,
            var part when step % 2 == 1 => rows + ((part - 3) * operations) + (step / 2),
            _ => BlockTable.Scatter(step / 2, rows),
        };
    }

    private static long InTransaction(BlockContender contender, Func<long> work)
    {
        contender.Begin();
        var answer = work();
        contender.Commit();
        return answer;
    }

    private static long Insert(BlockContender contender, int first, int count)
    {
        contender.Insert(first, count);
        return 0;
    }

    private static long AddBlocksets(BlockContender contender, int operations)
    {
        contender.AddBlocksets(operations / BlocksPerFile, BlocksPerFile, BlockDatabase.Blocksize);
        return 0;
    }

    private (long Block, long Blockset) Last()
    {
        using var connection = SqliteFile.Open(path, SqliteSettings.Normal).Connection;
        var statements = new ProviderStatements(connection);
        return (statements.Scalar(ContenderSql.LastBlock), statements.Scalar(ContenderSql.LastBlockset));
    }

    // Every column of every new row counts.
    private long FoldNew(long sum, (long Block, long Blockset) last)
    {
        using var connection = SqliteFile.Open(path, SqliteSettings.Normal).Connection;
        var statements = new ProviderStatements(connection);
        sum = BlockTable.Fold(
            sum,
            statements.Read(
                BlockBenchmarkSql.ReadBlocks,
                static (reader, current) =>
                    Fold(
                        current,
                        [reader.GetInt64(0), .. reader.GetString(1).Select(x => (long)x), reader.GetInt64(2), reader.GetInt64(3)]
                    ),
                ("?1", last.Block)
            )
        );
        return BlockTable.Fold(
            sum,
            statements.Read(
                ContenderSql.ReadEntries,
                static (reader, current) => Fold(current, [reader.GetInt64(0), reader.GetInt64(1), reader.GetInt64(2)]),
                ("@Id", last.Blockset)
            )
        );
    }

    private static long Fold(long sum, IEnumerable<long> values) => values.Aggregate(sum, BlockTable.Fold);
}
