using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro;

/// <summary>The work that benchmarks do on the block table.</summary>
internal static class BlockTable
{
    /// <summary>Blocks of one volume.</summary>
    private const int VolumeBlocks = 500;

    /// <summary>Inserts the keys from <paramref name="first"/> on, with a commit after so many rows.</summary>
    /// <returns>Rows inserted.</returns>
    public static long Insert(StatementCache statements, BlockKeys keys, int first, int count, int rowsPerCommit)
    {
        long inserted = 0;
        for (var start = first; start < first + count; start += rowsPerCommit)
        {
            statements.Execute(BlockTableSql.Begin);
            using (var insert = statements.Take(BlockTableSql.Insert))
            {
                for (var index = start; index < Math.Min(start + rowsPerCommit, first + count); index++)
                    inserted += insert.BindUtf8(1, keys.Text(index)).Bind(2, BlockKeys.Size(index)).Bind(3, index / VolumeBlocks).Execute();
            }

            statements.Execute(BlockTableSql.Commit);
        }

        return inserted;
    }

    /// <summary>Looks keys up in an order that has nothing to do with that of the table.</summary>
    /// <param name="statements">Statements of the database.</param>
    /// <param name="keys">The keys.</param>
    /// <param name="range">Keys 0 to this are asked for; those that were inserted are found.</param>
    /// <param name="count">Look-ups.</param>
    /// <returns>Keys found.</returns>
    public static long Find(StatementCache statements, BlockKeys keys, int range, int count)
    {
        long found = 0;
        using var find = statements.Take(BlockTableSql.Find);
        for (var step = 0; step < count; step++)
        {
            var index = Scatter(step, range);
            found += find.BindUtf8(1, keys.Text(index)).Bind(2, BlockKeys.Size(index)).ExecuteInt64() >= 0 ? 1 : 0;
        }

        return found;
    }

    /// <summary>How many of the keys that <see cref="Find"/> asks for are below a limit.</summary>
    public static long CountBelow(int limit, int range, int count) =>
        Enumerable.Range(0, count).Count(step => Scatter(step, range) < limit);

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
}
