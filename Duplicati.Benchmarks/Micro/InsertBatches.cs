// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro;

/// <summary>
/// New blocks in random order into an empty table with all its indexes, so many in a batch and a commit a batch, at the same durability in
/// every way.
/// </summary>
[BenchmarkGroup("batches", Durability = "WAL; synchronous as the parameter Synchronous says")]
[BaselineVariant(nameof(Way), BatchWays.Provider)]
public class InsertBatches : DatabaseBenchmark
{
    private static readonly string[] s_columns = ["Hash", "Size", "VolumeID"];

    private ProviderStatements? m_provider;

    /// <summary>How a batch is inserted; one of <see cref="BatchWays"/>.</summary>
    [ParamsSource(nameof(Ways))]
    public string Way { get; set; } = BatchWays.Provider;

    /// <summary>FULL flushes every commit, NORMAL only at checkpoints.</summary>
    [Params("FULL", "NORMAL")]
    public string Synchronous { get; set; } = "FULL";

    [Params(1, 10, 100, 1_000, 10_000)]
    public int BatchRows { get; set; } = 1;

    public static IEnumerable<string> Ways => [BatchWays.Provider, BatchWays.Statement, BatchWays.Batch];

    // Small batches commit more often, and so handle fewer rows in the same time.
    protected override int Rows => Math.Min(BenchmarkScale.Of(100_000, 20_000), BatchRows * BenchmarkScale.Of(10_000, 500));

    protected override long ExpectedAnswer => BlockTable.SumOfRows(0, Rows, row => row / BatchRows);

    private protected override ConnectionOptions Options => Of("default", (PragmaCatalogue.Synchronous, Synchronous));

    protected override void Work()
    {
        switch (Way)
        {
            case BatchWays.Provider:
                RunByRow(InsertByProvider);
                break;
            case BatchWays.Statement:
                RunByRow(InsertByStatement);
                break;
            case BatchWays.Batch:
                RunInBatches();
                break;
        }
    }

    protected override void ReadAnswer() => Answer = BlockTable.SumRows(Statements);

    protected override void Prepare()
    {
        Statements.Execute(BlockTableSql.Create);
        _ = BlockDatabase.Hashes(Rows);
        m_provider = new ProviderStatements(Connection);
    }

    private void RunByRow(Action<int> insert)
    {
        for (var start = 0; start < Rows; start += BatchRows)
        {
            Statements.Execute(BlockTableSql.BeginWriting);
            for (var row = start; row < start + BatchRows; row++)
                insert(row);
            Statements.Execute(BlockTableSql.Commit);
        }
    }

    private void RunInBatches()
    {
        using var batch = new InsertBatch(Statements, "Block", s_columns);
        for (var start = 0; start < Rows; start += BatchRows)
        {
            for (var row = start; row < start + BatchRows; row++)
            {
                batch.Set(0, BlockDatabase.Hashes(0)[row]);
                batch.Set(1, BlockKeys.Size(row));
                batch.Set(2, row / BatchRows);
                batch.EndRow();
            }

            batch.Flush();
        }
    }

    private void InsertByProvider(int row) =>
        m_provider!.Execute(
            BlockBenchmarkSql.Insert,
            ("@Hash", BlockDatabase.Hashes(0)[row]),
            ("@Size", BlockKeys.Size(row)),
            ("@VolumeId", (long)(row / BatchRows))
        );

    private void InsertByStatement(int row)
    {
        using var insert = Statements.Take(BlockTableSql.Insert);
        insert.Bind(1, BlockDatabase.Hashes(0)[row]).Bind(2, BlockKeys.Size(row)).Bind(3, row / BatchRows).ExecuteNonQuery();
    }
}

/// <summary>The ways a batch of rows is inserted.</summary>
internal static class BatchWays
{
    /// <summary>A prepared command of Microsoft.Data.Sqlite, run for each row.</summary>
    internal const string Provider = "provider";

    /// <summary>A statement of the layer, run for each row.</summary>
    internal const string Statement = "statement";

    /// <summary><see cref="Library.SQLiteHelper.Statements.InsertBatch"/>: several rows a statement.</summary>
    internal const string Batch = "batch";
}
