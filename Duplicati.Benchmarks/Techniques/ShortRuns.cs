using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>Building the two indexes of blocks by hash, sorted in files, as the end of a recreate does.</summary>
internal sealed class ShortRuns : Technique
{
    public override string Name => "short runs of sorts";

    public override string Without => "runs as long as the page cache is large";

    public override string IsOff => "sorts in memory; where the page cache is smaller";

    public override string Entry => "block";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var connection = SQLiteLoader.LoadConnection(setup.Copy(BlockDatabase.Template(setup.Blocks)));
        var statements = new StatementCache(connection);
        statements.Execute(TechniquesSql.SortInFiles);
        EngineControl.ReadSortFiles(connection);
        statements.Execute(TechniquesSql.DropHashIndexes);
        return new Trial(() => Build(statements, with), () => Content(statements), statements, connection);
    }

    private static void Build(StatementCache statements, bool with)
    {
        using var runs = with ? SortRuns.Shorten(statements) : default;
        statements.Execute(TechniquesSql.CreateHashIndexes);
    }

    // Read in the order of an index that was built.
    private static long Content(StatementCache statements)
    {
        var sum = 0L;
        using var read = statements.Take(TechniquesSql.BlocksByHash);
        while (read.Step())
            sum = BlockContender.Fold(sum, read.GetInt64(0));
        return sum;
    }
}
