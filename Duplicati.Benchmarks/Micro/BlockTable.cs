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
                    insert.BindUtf8(1, keys.Text(index)).Bind(2, BlockKeys.Size(index)).Bind(3, Volume(index)).Execute();
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
        while (read.Step())
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
        return Enumerable.Range(first, count).Aggregate(0L, (sum, index) => unchecked(sum + FoldRow(keys.Text(index), BlockKeys.Size(index), volume(index))));
    }

    /// <summary>The volume that <see cref="Insert"/> puts a key in.</summary>
    public static long Volume(int index) => index / VolumeBlocks;

    /// <summary>A database with so many blocks.</summary>
    public static string Template(int rows, ConnectionOptions options, string optionsKey) =>
        DatabaseTemplates.Get($"blocks {rows} {optionsKey}", path =>
        {
            using var connection = ConnectionOpener.Standard.Open(path, options);
            using var statements = new StatementCache(connection);
            statements.Execute(BlockTableSql.Create);
            Insert(statements, BlockKeys.Get(rows), 0, rows, rows);
            statements.Execute(BlockTableSql.LeaveNoLog);
        });

    /// <summary>A number below <paramref name="range"/> that jumps about as the steps go on, each once in as many steps: the factor is a prime above any range.</summary>
    public static int Scatter(int step, int range) => (int)((uint)step * 2654435761ul % (uint)range);

    private static long FoldRow(ReadOnlySpan<byte> hash, long size, long volume)
    {
        var sum = 0L;
        foreach (var letter in hash)
            sum = unchecked((sum * 31) + letter);
        return unchecked((((sum * 31) + size) * 31) + volume);
    }
}
