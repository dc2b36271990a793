using System.Diagnostics;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.History;

/// <summary>Measures operations on databases with long histories, the ways in turns. What only reads shares one file; what changes has a fresh copy each time.</summary>
/// <param name="folder">An empty folder for the databases.</param>
/// <param name="rounds">Rounds.</param>
/// <param name="once">Plain statements that take longer than this on the clock are not measured again.</param>
/// <param name="progress">Told of each measurement.</param>
internal sealed class HistoryRunner(string folder, int rounds, TimeSpan once, TextWriter progress)
{
    private string Template => Path.Combine(folder, "template.sqlite");

    private string Shared => Path.Combine(folder, "shared.sqlite");

    private string Work => Path.Combine(folder, "work.sqlite");

    /// <summary>Makes a database, measures all operations on it, and removes it.</summary>
    /// <exception cref="InvalidOperationException">Two ways gave different answers.</exception>
    public List<HistoryResult> Run(HistoryShape shape, IReadOnlyList<HistoryOperation> operations, CancellationToken token)
    {
        try
        {
            var clock = Stopwatch.GetTimestamp();
            HistoryDatabase.Make(Template, shape);
            progress.WriteLine(FormattableString.Invariant($"{shape.Versions} versions: {shape.Entries} entries in {new FileInfo(Template).Length >> 20} MiB, made in {Stopwatch.GetElapsedTime(clock).TotalSeconds:F0} s"));
            File.Copy(Template, Shared);
            var results = operations.Select(operation => new HistoryResult(operation, shape.Versions, operation.Rows(shape))).ToList();
            for (var round = 0; round < rounds; round++)
            {
                foreach (var result in results)
                {
                    foreach (var way in round % 2 == 0 ? new[] { OperationWays.Plain, OperationWays.Door } : [OperationWays.Door, OperationWays.Plain])
                        Measure(result, way, shape, token);
                }
            }

            return results;
        }
        finally
        {
            Remove(folder);
        }
    }

    private void Measure(HistoryResult result, string way, HistoryShape shape, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        if (way == OperationWays.Plain && result.Costs(way).Any(cost => cost.Clock > once.TotalSeconds))
            return;

        var operation = result.Operation;
        if (operation.Changes)
            File.Copy(Template, Work);
        GC.Collect();
        var path = operation.Changes ? Work : Shared;
        var (cost, answer) = way == OperationWays.Door ? RunDoor(operation, path, shape) : RunPlain(operation, path, shape);
        if (operation.Changes)
        {
            answer += CountRows();
            Remove(folder, Path.GetFileName(Work));
        }

        result.Add(way, cost, answer);
        progress.WriteLine(FormattableString.Invariant($"{shape.Versions} versions, {operation.Name}, {way}: {cost.Processor:F3} s of processor time, {cost.Clock:F3} s"));
    }

    private static (HistoryCost Cost, long Answer) RunDoor(HistoryOperation operation, string path, HistoryShape shape)
    {
        using var database = operation.Open(path).Await();
        var start = Now();
        var answer = operation.Door(database, shape).Await();
        if (operation.Changes)
            database.Dispose();
        return (Since(start), answer);
    }

    private static (HistoryCost Cost, long Answer) RunPlain(HistoryOperation operation, string path, HistoryShape shape)
    {
        using var connection = ConnectionOpener.Standard.Open(path, ConnectionOptions.Default);
        var plain = new PlainStatements(connection);
        plain.Execute(BlockTableSql.Begin);
        var start = Now();
        var answer = operation.Plain(plain, shape);
        if (operation.Changes)
        {
            plain.Execute(BlockTableSql.Commit);
            connection.Dispose();
            return (Since(start), answer);
        }

        var cost = Since(start);
        plain.Execute(BlockTableSql.Rollback);
        return (cost, answer);
    }

    // What is left counts, too.
    private long CountRows()
    {
        using var connection = ConnectionOpener.Standard.Open(Work, ConnectionOptions.Default);
        using var statements = new StatementCache(connection);
        return EngineDeletion.CountRows(statements);
    }

    private static (TimeSpan Processor, long Clock) Now() => (Environment.CpuUsage.TotalTime, Stopwatch.GetTimestamp());

    private static HistoryCost Since((TimeSpan Processor, long Clock) start) =>
        new((Environment.CpuUsage.TotalTime - start.Processor).TotalSeconds, Stopwatch.GetElapsedTime(start.Clock).TotalSeconds);

    private static void Remove(string folder, string name = "")
    {
        foreach (var file in Directory.GetFiles(folder, name + "*"))
            File.Delete(file);
    }
}
