// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Text;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro;

/// <summary>The work that benchmarks do on the block table.</summary>
internal static class BlockTable
{
    /// <summary>Blocks of one volume.</summary>
    private const int VolumeBlocks = 500;

    /// <summary>Inserts the keys from <paramref name="first"/> on, with a commit after so many rows.</summary>
    public static void Insert(StatementCache statements, BlockKeys keys, int first, int count, int rowsPerCommit)
    {
        for (var start = first; start < first + count; start += rowsPerCommit)
        {
            statements.Execute(BlockTableSql.Begin);
            using (var insert = statements.Take(BlockTableSql.Insert))
            {
                for (var index = start; index < Math.Min(start + rowsPerCommit, first + count); index++)
                    insert.BindUtf8(1, keys.Text(index)).Bind(2, BlockKeys.Size(index)).Bind(3, Volume(index)).ExecuteNonQuery();
            }

            statements.Execute(BlockTableSql.Commit);
        }
    }

    /// <summary>Looks keys up in an order that has nothing to do with that of the table.</summary>
    /// <param name="statements">Statements of the database.</param>
    /// <param name="keys">The keys.</param>
    /// <param name="range">Keys 0 to this are asked for; those that were inserted are found.</param>
    /// <param name="count">Look-ups.</param>
    /// <returns>The ids, added up; -1 for a key that is not there.</returns>
    public static long Find(StatementCache statements, BlockKeys keys, int range, int count)
    {
        long sum = 0;
        using var find = statements.Take(BlockTableSql.Find);
        for (var step = 0; step < count; step++)
        {
            var index = Scatter(step, range);
            sum += find.BindUtf8(1, keys.Text(index)).Bind(2, BlockKeys.Size(index)).ExecuteInt64();
        }

        return sum;
    }

    /// <summary>What <see cref="Find"/> must return on a table with the keys below a limit, inserted in their order.</summary>
    public static long SumOfIds(int limit, int range, int count) =>
        Enumerable.Range(0, count).Sum(step => Scatter(step, range) is var index && index < limit ? index + 1L : -1);

    /// <summary>All columns but the id of all rows, folded and added up: the same in whichever order the rows were inserted.</summary>
    public static long SumRows(StatementCache statements)
    {
        var sum = 0L;
        using var read = statements.Take(BlockTableSql.ReadAll);
        while (read.Read())
            sum = unchecked(sum + FoldRow(read.GetUtf8(0), read.GetInt64(1), read.GetInt64(2)));
        return sum;
    }

    /// <summary>What <see cref="SumRows"/> must return for the keys from <paramref name="first"/> on.</summary>
    /// <param name="first">The first key.</param>
    /// <param name="count">Number of keys.</param>
    /// <param name="volume">The volume of the key with a number.</param>
    public static long SumOfRows(int first, int count, Func<int, long> volume)
    {
        var keys = BlockKeys.Get(first + count);
        return Enumerable
            .Range(first, count)
            .Aggregate(0L, (sum, index) => unchecked(sum + FoldRow(keys.Text(index), BlockKeys.Size(index), volume(index))));
    }

    /// <summary>The volume that <see cref="Insert"/> puts a key in.</summary>
    public static long Volume(int index) => index / VolumeBlocks;

    /// <summary>A database with so many blocks.</summary>
    public static string Template(int rows, ConnectionOptions options, string optionsKey) =>
        DatabaseTemplates.Get(
            $"blocks {rows} {optionsKey}",
            path =>
            {
                using var connection = ConnectionOpener.Standard.Open(path, options);
                using var statements = new StatementCache(connection);
                statements.Execute(BlockTableSql.Create);
                Insert(statements, BlockKeys.Get(rows), 0, rows, rows);
                statements.Execute(BlockTableSql.LeaveNoLog);
            }
        );

    /// <summary>Folds one more number into an answer, dependent on the order.</summary>
    public static long Fold(long sum, long value) => unchecked((sum * 31) + value);

    /// <summary>Full hash of the blockset with this number.</summary>
    public static string FileHash(int file)
    {
        var digest = new byte[BlockKeys.RawBytes];
        BitConverter.TryWriteBytes(digest, file + 1);
        return Convert.ToBase64String(digest);
    }

    /// <summary>
    /// A number below <paramref name="range"/> that jumps about as the steps go on, each once in as many steps: the factor is a prime above
    /// any range.
    /// </summary>
    public static int Scatter(int step, int range) => (int)((uint)step * 2654435761ul % (uint)range);

    private static long FoldRow(ReadOnlySpan<byte> hash, long size, long volume)
    {
        var sum = 0L;
        foreach (var letter in hash)
            sum = Fold(sum, letter);
        return Fold(Fold(sum, size), volume);
    }
}

/// <summary>The block table as it is in the local database, and the statements benchmarks put to it.</summary>
internal static class BlockTableSql
{
    internal const string Begin = "BEGIN";
    internal const string Commit = "COMMIT";

    /// <summary>A file without a log can be copied as it is.</summary>
    internal const string LeaveNoLog = "PRAGMA journal_mode=DELETE";

    /// <summary>Table and indexes of schema version 19.</summary>
    internal const string Create = """
        CREATE TABLE "Block" ("ID" INTEGER PRIMARY KEY, "Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "VolumeID" INTEGER NOT NULL);
        CREATE UNIQUE INDEX "BlockHashSize" ON "Block" ("Hash", "Size");
        CREATE INDEX "Block_IndexByVolumeId" ON "Block" ("VolumeID");
        CREATE INDEX "BlockSize" ON "Block" ("Size");
        CREATE INDEX "BlockHashVolumeID" ON "Block" ("Hash", "VolumeID");
        """;

    /// <summary>Adds to all five b-trees.</summary>
    internal const string Insert = """INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES (?1, ?2, ?3)""";

    /// <summary>BlockHashSize, covering.</summary>
    internal const string Find = """SELECT "ID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    /// <summary>Every row, in the order of the table.</summary>
    internal const string ReadAll = """SELECT "Hash", "Size", "VolumeID" FROM "Block" """;

    /// <summary>Sorts the whole table outside of any index.</summary>
    internal const string Sort = """CREATE INDEX "BlockVolumeHashSize" ON "Block" ("VolumeID", "Hash", "Size")""";

    /// <summary>The index that <see cref="Sort"/> made.</summary>
    internal const string CountSorted = """SELECT count(*) FROM "Block" INDEXED BY "BlockVolumeHashSize" WHERE "VolumeID" >= 0""";
}

/// <summary>
/// Block hashes as Base64, the same on every run: uniformly random, as digests are. They are kept, so that making them is no part of what
/// is measured.
/// </summary>
internal sealed class BlockKeys
{
    public const int RawBytes = 32;
    public const int TextBytes = 44;
    public const int Seed = 20260821;

    private static BlockKeys? s_latest;

    private readonly byte[] m_text;

    private BlockKeys(int count)
    {
        Count = count;
        m_text = new byte[count * TextBytes];
        var digests = new byte[count * RawBytes];
        new Random(Seed).NextBytes(digests);
        for (var index = 0; index < count; index++)
            Base64.EncodeToUtf8(digests.AsSpan(index * RawBytes, RawBytes), m_text.AsSpan(index * TextBytes, TextBytes), out _, out _);
    }

    public int Count { get; }

    /// <summary>At least so many keys; a longer list begins with the same ones.</summary>
    public static BlockKeys Get(int count)
    {
        if (s_latest is null || s_latest.Count < count)
            s_latest = new BlockKeys(count);
        return s_latest;
    }

    /// <summary>The keys last made.</summary>
    public static BlockKeys Latest => s_latest!;

    public ReadOnlySpan<byte> Text(int index) => m_text.AsSpan(index * TextBytes, TextBytes);

    /// <summary>The size recorded with a block: mostly full, every tenth the rest of a file.</summary>
    public static long Size(int index) => index % 10 == 0 ? 1 + index * 7919L % 102400 : 102400;
}
