// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.Micro;

/// <summary>How many rows a transaction should have: blocks in random order into an empty table with all its indexes.</summary>
[BenchmarkGroup("transactions")]
[BaselineVariant(nameof(RowsPerCommit), "1")]
public class CommitInsert : DatabaseBenchmark
{
    [ParamsSource(nameof(Sizes))]
    public int RowsPerCommit { get; set; }

    public static IEnumerable<int> Sizes => CommitSizes.All;

    protected override int Rows => CommitSizes.Rows;

    protected override long ExpectedAnswer => BlockTable.SumOfRows(0, Rows, BlockTable.Volume);

    protected override void Work() => BlockTable.Insert(Statements, BlockKeys.Get(Rows), 0, Rows, RowsPerCommit);

    protected override void ReadAnswer() => Answer = BlockTable.SumRows(Statements);

    protected override void Prepare() => Statements.Execute(BlockTableSql.Create);
}

/// <summary>
/// How many rows a transaction should have when a backup continues: each block is looked up; one that is not there (every
/// second) is inserted, every eighth of those that are there is moved to another volume.
/// </summary>
[BenchmarkGroup("transactions")]
[BaselineVariant(nameof(RowsPerCommit), "1")]
public class CommitMixed : DatabaseBenchmark
{
    private const int MoveEvery = 8;
    private const int OtherVolume = 1_000_000;

    [ParamsSource(nameof(Sizes))]
    public int RowsPerCommit { get; set; }

    public static IEnumerable<int> Sizes => CommitSizes.All;

    protected override int Rows => CommitSizes.Rows;

    // Half of the keys are new.
    protected override long ExpectedAnswer =>
        BlockTable.SumOfRows(
            0,
            Rows,
            index =>
                index >= Known ? 0
                : IsMoved(index) ? OtherVolume
                : BlockTable.Volume(index)
        );

    protected override string? Template => BlockTable.Template(Known, ConnectionPreset.Default.ToOptions(), "commit");

    private int Known => Rows / 2;

    protected override void Work()
    {
        var keys = BlockKeys.Get(Rows);
        for (var start = 0; start < Rows; start += RowsPerCommit)
        {
            Statements.Execute(BlockTableSql.Begin);
            for (var step = start; step < Math.Min(start + RowsPerCommit, Rows); step++)
                FindOrInsert(keys, step % 2 == 0 ? step / 2 : Known + step / 2, step);
            Statements.Execute(BlockTableSql.Commit);
        }
    }

    protected override void ReadAnswer() => Answer = BlockTable.SumRows(Statements);

    // A key that is there is asked for in the step that is twice its number.
    private static bool IsMoved(int known) => 2 * known % MoveEvery == 0;

    private void FindOrInsert(BlockKeys keys, int index, int step)
    {
        long id;
        using (var find = Statements.Take(BlockTableSql.Find))
            id = find.BindUtf8(1, keys.Text(index)).Bind(2, BlockKeys.Size(index)).ExecuteInt64();

        if (id < 0)
        {
            using var insert = Statements.Take(BlockTableSql.Insert);
            insert.BindUtf8(1, keys.Text(index)).Bind(2, BlockKeys.Size(index)).Bind(3, 0).ExecuteNonQuery();
        }
        else if (step % MoveEvery == 0)
        {
            using var move = Statements.Take(BlockTableSql.Move);
            move.Bind(1, id).Bind(2, OtherVolume).ExecuteNonQuery();
        }
    }
}

/// <summary>The transaction sizes that are compared.</summary>
internal static class CommitSizes
{
    /// <summary>Rows that every case handles in all.</summary>
    public static int Rows => BenchmarkScale.Of(1_000_000, 16_384);

    /// <summary>Rows a transaction: powers of four from 1 up, and all in one.</summary>
    public static IEnumerable<int> All
    {
        get
        {
            for (var size = 1; size < Rows; size *= 4)
                yield return size;
            yield return Rows;
        }
    }
}
