using Duplicati.Benchmarks.Processes;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>One deletion of the oldest versions, step by step, with the commit and the checkpoint that follow it.</summary>
internal sealed class DeleteSteps
{
    private readonly int m_going;
    private readonly List<DeleteStepCost> m_costs = [];
    private Func<int> m_totalChanges = () => 0;

    private DeleteSteps(int going) => m_going = going;

    /// <summary>Deletes in a fresh copy of a database.</summary>
    /// <returns>The steps in their order, and a number that depends on what was left.</returns>
    public static (List<DeleteStepCost> Costs, long Answer) Run(string template, int going, string way)
    {
        using var folder = new TempFolder();
        var path = Path.Combine(folder, "local.sqlite");
        File.Copy(template, path);
        var run = new DeleteSteps(going);
        var answer = way == OperationWays.Door ? run.RunDoor(path) : run.RunStatements(path, way);
        return (run.m_costs, answer);
    }

    private long RunDoor(string path)
    {
        var db = LocalDeleteDatabase.CreateAsync(path, "Delete", null, default).Await();
        var times = Enumerable.Range(0, m_going).Select(VersionedBackup.UtcTime).ToArray();
        var answer = db.Session.ShortAsync(
            session =>
            {
                m_totalChanges = () => session.Statements.TotalChanges;
                Step(DeleteStepNames.Fileset, () => FilesetDeletion.DeleteFilesets(session, times));
                using var blocks = new UnusedBlocks(session, DeletionLimits.Measured);
                foreach (var (name, run) in FilesetDeletion.Steps(session, DeletionLimits.Measured, blocks))
                    Step(name, run);
                Step(DeleteStepNames.Remotevolume, () => session.Run(DeleteSql.MarkVolumes));
                return EngineDeletion.CountRows(session.Statements);
            },
            default).GetAwaiter().GetResult();
        m_totalChanges = () => 0;
        Step(DeleteStepNames.Commit, () =>
        {
            db.Transaction.CommitAsync().Await();
            db.Dispose();
        });
        return answer;
    }

    private long RunStatements(string path, string way)
    {
        var engine = way == OperationWays.Engine ? EngineDeletion.Find(path, m_going) : null;
        using var connection = ConnectionOpener.Standard.Open(path, ConnectionOptions.Default);
        using var statements = new StatementCache(connection);
        m_totalChanges = () => statements.TotalChanges;
        statements.Execute(BlockTableSql.Begin);
        foreach (var (name, run) in engine?.Steps ?? PlainSteps(new PlainStatements(connection)))
            Step(name, () => run(statements));
        var answer = EngineDeletion.CountRows(statements);
        Step(DeleteStepNames.Commit, () =>
        {
            statements.Execute(BlockTableSql.Commit);
            statements.Dispose();
            connection.Dispose();
        });
        return answer;
    }

    private IEnumerable<(string Name, Action<StatementCache> Run)> PlainSteps(PlainStatements plain) =>
        Enumerable.Range(0, m_going).Select(version => (DeleteStepNames.Fileset, (Action<StatementCache>)(_ => plain.Execute(PlainOperationSql.DeleteFileset, VersionedBackup.Time(version)))))
            .Concat(PlainOperationSql.DeleteCascade.Select(step => (step.Name, (Action<StatementCache>)(_ => plain.Execute(step.Sql)))));

    private void Step(string name, Action work)
    {
        var rows = m_totalChanges();
        var written = ProcessWrites.Bytes() ?? 0;
        var processor = Environment.CpuUsage.TotalTime;
        work();
        processor = Environment.CpuUsage.TotalTime - processor;
        written = (ProcessWrites.Bytes() ?? 0) - written;
        m_costs.Add(new DeleteStepCost(name, processor.TotalMilliseconds, written, name == DeleteStepNames.Commit ? 0 : m_totalChanges() - rows));
    }
}

/// <summary>What a step took.</summary>
/// <param name="Name">The step.</param>
/// <param name="Milliseconds">Processor time.</param>
/// <param name="Written">Bytes handed to the system for writing.</param>
/// <param name="Rows">Rows inserted, changed or deleted, those of temporary tables among them.</param>
internal sealed record DeleteStepCost(string Name, double Milliseconds, long Written, int Rows);

/// <summary>Names of the steps of a deletion that the layer does not name itself.</summary>
internal static class DeleteStepNames
{
    public const string Fileset = "Fileset";
    public const string Remotevolume = "Remotevolume";
    public const string Commit = "commit, checkpoint";
}
