// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro;

/// <summary>
/// What another form of the hash or of the key would give, against the schema as it is. The schema is fixed by what it must stay compatible
/// with; this says what that costs.
/// </summary>
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
                BindHash(insert, 4, keys, index).ExecuteNonQuery();
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

/// <summary>
/// Blocks in random order into an empty table of each shape, a commit after every 10,000; the file size says what the shape takes.
/// </summary>
public class ShapeInsert : BlockTableShapeBenchmark
{
    private const int RowsPerCommit = 10_000;

    protected override int Rows => TableRows;

    protected override long ExpectedAnswer =>
        Enumerable.Range(0, TableRows).Sum(index => (index + 1) * (31 + BlockKeys.Size(index) + BlockTable.Volume(index)));

    protected override void Work() => InsertAll(Statements, BlockKeys.Get(TableRows), RowsPerCommit);

    // That the hashes are right is what ShapeSelect finds out.
    protected override void ReadAnswer()
    {
        using var sum = Statements.Take(BlockTableShapeSql.Sum);
        Answer = sum.ExecuteInt64();
    }

    protected override void Prepare() => Statements.Execute(BlockTableShapeSql.Create(Hash, Key));
}

/// <summary>Look-ups by hash and size in a table of each shape, every second one of a block that is not there.</summary>
public class ShapeSelect : BlockTableShapeBenchmark
{
    protected override int Rows => BenchmarkScale.Of(300_000, 20_000);

    protected override long ExpectedAnswer => BlockTable.SumOfIds(TableRows, 2 * TableRows, Rows);

    protected override string? Template => DatabaseTemplates.Get($"shape {Hash} {Key} {TableRows}", Make);

    protected override void Work()
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

/// <summary>A form of the hash and of the key.</summary>
/// <param name="Hash">How the hash is stored.</param>
/// <param name="Key">How a block is found.</param>
internal sealed record BlockTableShape(HashForm Hash, KeyForm Key)
{
    /// <summary>What the schema has.</summary>
    public const string Today = "TEXT (hash, size)";

    /// <summary>All shapes by name: the form of the hash, and in brackets what is unique.</summary>
    public static IReadOnlyDictionary<string, BlockTableShape> All { get; } =
        Enum.GetValues<HashForm>()
            .SelectMany(hash => Enum.GetValues<KeyForm>().Select(key => new BlockTableShape(hash, key)))
            .ToDictionary(shape => $"{NameOf(shape.Hash)} {NameOf(shape.Key)}");

    private static string NameOf(HashForm hash) =>
        hash switch
        {
            HashForm.Text => "TEXT",
            HashForm.Varchar44 => "VARCHAR(44)",
            HashForm.Blob => "BLOB",
            _ => "4 INTEGERs",
        };

    private static string NameOf(KeyForm key) =>
        key switch
        {
            KeyForm.RowidHashSize => "(hash, size)",
            KeyForm.RowidHash => "(hash)",
            KeyForm.RowidHashPart => "(part of the hash)",
            KeyForm.NoRowidHashSize => "(hash, size), no row id",
            _ => "(hash), no row id",
        };
}

/// <summary>How a table could store the hash of a block.</summary>
internal enum HashForm
{
    /// <summary>Base64 text, 44 bytes, declared TEXT: what the schema has.</summary>
    Text,

    /// <summary>The same declared VARCHAR(44); SQLite does not enforce the length.</summary>
    Varchar44,

    /// <summary>The 32 bytes of the digest.</summary>
    Blob,

    /// <summary>The digest as four 64-bit integers in four columns.</summary>
    FourIntegers,
}

/// <summary>How a table could find a block.</summary>
internal enum KeyForm
{
    /// <summary>Row id, and a unique index on hash and size: what the schema has.</summary>
    RowidHashSize,

    /// <summary>Row id, and a unique index on the hash alone.</summary>
    RowidHash,

    /// <summary>
    /// Row id, and a unique index on the first twelve bytes of the hash, as an expression (two of four integers: sixteen); the rest is
    /// compared in the row.
    /// </summary>
    RowidHashPart,

    /// <summary>No row id: the table is the index on hash and size. A row cannot be found by its id any more.</summary>
    NoRowidHashSize,

    /// <summary>No row id: the table is the index on the hash alone.</summary>
    NoRowidHash,
}

/// <summary>The statements for each shape of the block table, put together from the parts that differ.</summary>
internal static class BlockTableShapeSql
{
    /// <summary>The whole table.</summary>
    public const string Sum = "SELECT sum(ID * (31 + Size + VolumeID)) FROM Block";

    private const string IntegerColumns = "H1, H2, H3, H4";

    /// <summary>The table, with its index if it has one.</summary>
    public static string Create(HashForm hash, KeyForm key)
    {
        var columns = hash switch
        {
            HashForm.Text => "Hash TEXT NOT NULL",
            HashForm.Varchar44 => "Hash VARCHAR(44) NOT NULL",
            HashForm.Blob => "Hash BLOB NOT NULL",
            _ => "H1 INTEGER NOT NULL, H2 INTEGER NOT NULL, H3 INTEGER NOT NULL, H4 INTEGER NOT NULL",
        };
        var hashColumns = hash == HashForm.FourIntegers ? IntegerColumns : "Hash";
        var table = $"{columns}, Size INTEGER NOT NULL, VolumeID INTEGER NOT NULL";
        return key switch
        {
            KeyForm.RowidHashSize =>
                $"CREATE TABLE Block (ID INTEGER PRIMARY KEY, {table}); CREATE UNIQUE INDEX BlockKey ON Block ({hashColumns}, Size)",
            KeyForm.RowidHash =>
                $"CREATE TABLE Block (ID INTEGER PRIMARY KEY, {table}); CREATE UNIQUE INDEX BlockKey ON Block ({hashColumns})",
            KeyForm.RowidHashPart =>
                $"CREATE TABLE Block (ID INTEGER PRIMARY KEY, {table}); CREATE UNIQUE INDEX BlockKey ON Block ({Part(hash)})",
            KeyForm.NoRowidHashSize =>
                $"CREATE TABLE Block (ID INTEGER NOT NULL, {table}, PRIMARY KEY ({hashColumns}, Size)) WITHOUT ROWID",
            _ => $"CREATE TABLE Block (ID INTEGER NOT NULL, {table}, PRIMARY KEY ({hashColumns})) WITHOUT ROWID",
        };
    }

    /// <summary>?1 id, ?2 size, ?3 volume, then the hash in one parameter or four.</summary>
    public static string Insert(HashForm hash) =>
        hash == HashForm.FourIntegers
            ? $"INSERT INTO Block (ID, Size, VolumeID, {IntegerColumns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
            : "INSERT INTO Block (ID, Size, VolumeID, Hash) VALUES (?1, ?2, ?3, ?4)";

    /// <summary>?1 size, then the hash in one parameter or four; uses BlockKey, or the table itself without row id.</summary>
    public static string Find(HashForm hash, KeyForm key)
    {
        var part =
            key == KeyForm.RowidHashPart && hash != HashForm.FourIntegers
                ? $"{Part(hash)} = {Part(hash).Replace("Hash", "?2", StringComparison.Ordinal)} AND "
                : "";
        var whole = hash == HashForm.FourIntegers ? "H1 = ?2 AND H2 = ?3 AND H3 = ?4 AND H4 = ?5" : "Hash = ?2";
        return $"SELECT ID FROM Block WHERE {part}{whole} AND Size = ?1";
    }

    // Twelve bytes of the digest, or the next more that can be had: too many for two blocks to have them in common.
    private static string Part(HashForm hash) =>
        hash switch
        {
            HashForm.FourIntegers => "H1, H2",
            HashForm.Blob => "substr(Hash, 1, 12)",
            _ => "substr(Hash, 1, 16)",
        };
}
