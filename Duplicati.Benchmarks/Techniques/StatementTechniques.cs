using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>One row by its id, with a statement from the cache or one prepared for the purpose.</summary>
internal sealed class CachedStatements : Technique
{
    public override string Name => "cache of statements";

    public override string Without => "prepared for each use, finalized after it";

    public override string IsOff => "texts made at run time";

    public override string Entry => "statement";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var connection = SQLiteLoader.LoadConnection(setup.Copy(BlockDatabase.Template(setup.Blocks)));
        var statements = new StatementCache(connection);
        statements.Execute(BlockTableSql.Begin);
        var sum = 0L;
        return new Trial(
            () =>
            {
                for (var i = 1; i <= setup.Blocks; i++)
                {
                    using var row = with ? statements.Take(BlockSql.KeyOfId) : statements.Prepare(BlockSql.KeyOfId);
                    row.Bind(1, i).Step();
                    sum = BlockContender.Fold(sum, row.GetInt64(1));
                }
            },
            () => sum,
            statements,
            connection);
    }
}

/// <summary>Look-ups of blocks by statement, through function pointers or through the provider's prepared command.</summary>
internal sealed class FunctionPointers : Technique
{
    public override string Name => "statements through function pointers";

    public override string Without => "the provider's prepared command, parameters by name";

    public override string IsOff => "commands that callers make on the raw connection";

    public override string Entry => "look-up";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var connection = SQLiteLoader.LoadConnection(setup.Copy(BlockDatabase.Template(setup.Blocks)));
        var statements = new StatementCache(connection);
        var questions = BackupTrials.Questions(0, setup.Blocks);
        BlockContender contender = with ? new NativeContender(questions, statements) : new ProviderContender(questions, new ProviderStatements(connection));
        var sum = 0L;
        return new Trial(
            () =>
            {
                contender.Begin();
                sum = contender.Select(0, questions.Count);
                contender.Commit();
            },
            () => sum,
            contender,
            statements,
            connection);
    }
}
