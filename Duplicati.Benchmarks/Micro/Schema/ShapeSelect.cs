using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro.Schema;

/// <summary>Look-ups by hash and size in a table of each shape, every second one of a block that is not there.</summary>
public class ShapeSelect : BlockTableShapeBenchmark
{
    protected override int Rows => BenchmarkScale.Of(300_000, 20_000);

    protected override long ExpectedAnswer => BlockTable.SumOfIds(TableRows, 2 * TableRows, Rows);

    protected override string? Template => DatabaseTemplates.Get($"shape {Hash} {Key} {TableRows}", Make);

    [Benchmark]
    public void Select()
    {
        var keys = BlockKeys.Get(2 * TableRows);
        using var find = Statements.Prepare(BlockTableShapeSql.Find(Hash, Key));
        var sum = 0L;
        for (var step = 0; step < Rows; step++)
        {
            var index = BlockTable.Scatter(step, 2 * TableRows);
            sum += BindHash(find.Bind(1, BlockKeys.Size(index)), 2, keys, index).ExecuteInt64();
        }

        Answer = sum;
    }

    private void Make(string path)
    {
        using var connection = ConnectionOpener.Standard.Open(path, ConnectionPreset.Rebuild.ToOptions());
        using var statements = new StatementCache(connection);
        statements.Execute(BlockTableShapeSql.Create(Hash, Key));
        InsertAll(statements, BlockKeys.Get(TableRows), TableRows);
        statements.Execute(BlockTableSql.LeaveNoLog);
    }
}
