using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Benchmarks.Micro.Recreate;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>All checks with tables merged in key order, against statements as the definition reads.</summary>
internal sealed class OnePassChecks : Technique
{
    private const int BlocksPerFile = 100;

    public override string Name => "consistency checks in one pass";

    public override string Without => "a statement a check, as the definition reads";

    public override string IsOff => "never";

    public override string Entry => "block";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var path = setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile));
        if (with)
        {
            var database = LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default).Await();
            return new Trial(() => Check(database), () => 0, database);
        }

        var connection = SQLiteLoader.LoadConnection(path);
        var plain = new PlainStatements(connection);
        var faults = 0L;
        return new Trial(
            () =>
            {
                foreach (var check in PlainCheckSql.Checks.Append(LeanOperationSql.DifferentLists))
                    faults += plain.Scalar(check, (long)SyntheticBackup.EntriesInList);
            },
            () => faults,
            connection);
    }

    /// <summary>The check that throws at a fault.</summary>
    internal static void Check(LocalDatabase database) =>
        database.VerifyConsistencyAsync(SyntheticBackup.BlockBytes, SyntheticBackup.HashBytes, true, default).Await();
}

/// <summary>A second check of a database that has not changed, against one with a row that no check looks at.</summary>
internal sealed class ConsistencyMark : Technique
{
    private const int BlocksPerFile = 100;

    public override string Name => "consistency mark";

    public override string Without => "a row was changed since";

    public override string IsOff => "any change since; uncommitted writes; another block size or a wider scope";

    public override string Entry => "block";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var database = LocalDatabase.CreateLocalDatabaseAsync(setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile)), "Test", true, null, default).Await();
        database.Transaction.CommitAsync(default(CancellationToken)).Await();
        OnePassChecks.Check(database);
        if (!with)
        {
            database.Session.Do(session => session.Run(TechniquesSql.AddLogRow), default);
            database.Transaction.CommitAsync(default(CancellationToken)).Await();
        }

        return new Trial(() => OnePassChecks.Check(database), () => 0, database);
    }
}
