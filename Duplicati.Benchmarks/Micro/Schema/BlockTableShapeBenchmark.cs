using System.Buffers.Binary;
using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro.Schema;

/// <summary>What another form of the hash or of the key would give, against the schema as it is. The schema is fixed by what it must stay compatible with; this says what that costs.</summary>
[BenchmarkGroup("schema")]
[BaselineVariant(nameof(Shape), BlockTableShape.Today)]
public abstract class BlockTableShapeBenchmark : DatabaseBenchmark
{
    private const int IntegerBytes = 8;

    /// <summary>Form of the hash and of the key; a name in <see cref="BlockTableShape.All"/>.</summary>
    [ParamsSource(nameof(Shapes))]
    public string Shape { get; set; } = BlockTableShape.Today;

    public static IEnumerable<string> Shapes => BlockTableShape.All.Keys;

    private protected HashForm Hash => BlockTableShape.All[Shape].Hash;

    private protected KeyForm Key => BlockTableShape.All[Shape].Key;

    private protected static int TableRows => BenchmarkScale.Of(1_000_000, 20_000);

    private protected void InsertAll(StatementCache statements, BlockKeys keys, int rowsPerCommit)
    {
        using var insert = statements.Prepare(BlockTableShapeSql.Insert(Hash));
        for (var start = 0; start < TableRows; start += rowsPerCommit)
        {
            statements.Execute(BlockTableSql.Begin);
            for (var index = start; index < Math.Min(start + rowsPerCommit, TableRows); index++)
            {
                insert.Bind(1, index + 1).Bind(2, BlockKeys.Size(index)).Bind(3, BlockTable.Volume(index));
                BindHash(insert, 4, keys, index).Execute();
            }

            statements.Execute(BlockTableSql.Commit);
        }
    }

    private protected Statement BindHash(Statement statement, int parameter, BlockKeys keys, int index)
    {
        switch (Hash)
        {
            case HashForm.Blob:
                return statement.BindBlob(parameter, keys.Raw(index));
            case HashForm.FourIntegers:
                for (var part = 0; part < BlockKeys.RawBytes / IntegerBytes; part++)
                    statement.Bind(parameter + part, BinaryPrimitives.ReadInt64LittleEndian(keys.Raw(index)[(part * IntegerBytes)..]));
                return statement;
            default:
                return statement.BindUtf8(parameter, keys.Text(index));
        }
    }
}
