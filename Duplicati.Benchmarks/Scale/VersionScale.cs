// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Benchmarks.Replay;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Scale;

/// <summary>An operation on a database with many versions, through the API and by the statements of its definition.</summary>
internal sealed record VersionOperation
{
    /// <summary>Short name.</summary>
    public required string Name { get; init; }

    /// <summary>What a row is.</summary>
    public required string Row { get; init; }

    /// <summary>The rows that the operation must look at or write, or that come out, whichever are more.</summary>
    public required Func<VersionedBackup, long> Rows { get; init; }

    /// <summary>Whether it changes the database: then it has a copy of its own, commits, and closing belongs to it.</summary>
    public bool Changes { get; init; }

    /// <summary>Opens the type of database that core uses.</summary>
    public required Func<string, Task<LocalDatabase>> Open { get; init; }

    /// <summary>The members that core calls. Commits what is to be kept.</summary>
    public required Func<LocalDatabase, VersionedBackup, Task<long>> Api { get; init; }

    /// <summary>The statements of the definition, within a transaction, which the caller commits or rolls back.</summary>
    public required Func<PlainStatements, VersionedBackup, long> Plain { get; init; }
}

/// <summary>What is measured.</summary>
/// <param name="Backups">The databases, fewest versions first.</param>
/// <param name="Operations">The operations.</param>
/// <param name="Ways">The ways.</param>
/// <param name="Rounds">Rounds.</param>
/// <param name="Once">Statements that take longer than this on the clock are not measured again.</param>
internal sealed record VersionRequest(
    IReadOnlyList<VersionedBackup> Backups,
    IReadOnlyList<VersionOperation> Operations,
    IReadOnlyList<string> Ways,
    int Rounds,
    TimeSpan Once
);

/// <summary>
/// Measures operations on databases with many versions, the ways in turns. What only reads shares one file; what changes has a fresh copy
/// each time.
/// </summary>
/// <param name="request">What to measure.</param>
/// <param name="folder">An empty folder for the databases.</param>
/// <param name="log">Gets a line for each measurement.</param>
internal sealed class VersionScale(VersionRequest request, string folder, TextWriter log)
{
    private readonly List<ScaleResult> m_results = [];

    private string Template => Path.Combine(folder, "template.sqlite");

    private string Shared => Path.Combine(folder, "shared.sqlite");

    private string Work => Path.Combine(folder, "work.sqlite");

    /// <summary>What has been measured so far.</summary>
    public IReadOnlyList<ScaleResult> Results => m_results;

    /// <summary>Makes each database, measures all operations on it, and removes it.</summary>
    /// <exception cref="InvalidOperationException">Two ways gave different answers.</exception>
    public void Run(CancellationToken token)
    {
        foreach (var backup in request.Backups)
            Run(backup, token);
    }

    private void Run(VersionedBackup backup, CancellationToken token)
    {
        try
        {
            backup.Make(Template);
            var size = new FileInfo(Template).Length >> 20;
            log.WriteLine(FormattableString.Invariant($"{backup.Versions} versions: {backup.Entries} entries in {size} MiB"));
            File.Copy(Template, Shared);
            var results = (
                from operation in request.Operations
                from way in ScaleWays.All.Where(request.Ways.Contains)
                let item = new ScaleCase(operation.Name, way, ScaleGoals.Presets[0], backup.Versions, backup.BlocksPerFile)
                select (operation, new ScaleResult(item, operation.Row, operation.Rows(backup)))
            ).ToList();
            m_results.AddRange(results.Select(x => x.Item2));
            for (var round = 0; round < request.Rounds; round++)
            {
                foreach (var (operation, result) in round % 2 == 0 ? results : results.AsEnumerable().Reverse())
                    Measure(operation, result, backup, token);
            }
        }
        finally
        {
            Remove("");
        }
    }

    private void Measure(VersionOperation operation, ScaleResult result, VersionedBackup backup, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var isApi = result.Case.Way == ScaleWays.Api;
        if (!isApi && result.Costs.Any(cost => cost.Clock > request.Once.TotalSeconds))
            return;
        if (operation.Changes)
            File.Copy(Template, Work);
        GC.Collect();
        var path = operation.Changes ? Work : Shared;
        var (cost, answer) = isApi ? RunApi(operation, path, backup) : RunPlain(operation, path, backup);
        if (operation.Changes)
        {
            // What is left counts, too.
            answer += BlockContent.LeftIn(path);
            Remove(Path.GetFileName(Work));
        }

        result.Add(cost, answer, m_results);
        var name = $"{backup.Versions} versions, {operation.Name}, {result.Case.Way}";
        log.WriteLine(FormattableString.Invariant($"{name}: {cost.Processor:F3} s of processor time"));
    }

    private static (ScaleCost Cost, long Answer) RunApi(VersionOperation operation, string path, VersionedBackup backup)
    {
        using var database = operation.Open(path).Await();
        var start = Now();
        var answer = operation.Api(database, backup).Await();
        if (operation.Changes)
            database.Dispose();
        return (Since(start), answer);
    }

    private static (ScaleCost Cost, long Answer) RunPlain(VersionOperation operation, string path, VersionedBackup backup)
    {
        using var connection = ConnectionOpener.Standard.Open(path, ConnectionOptions.Default);
        using var plain = new PlainStatements(connection);
        plain.Execute(PlainSql.Begin);
        var start = Now();
        var answer = operation.Plain(plain, backup);
        if (!operation.Changes)
        {
            var cost = Since(start);
            plain.Execute(PlainSql.Rollback);
            return (cost, answer);
        }

        plain.Execute(PlainSql.Commit);
        plain.Dispose();
        connection.Dispose();
        return (Since(start), answer);
    }

    private static (TimeSpan Processor, long Clock) Now() => (Environment.CpuUsage.TotalTime, Stopwatch.GetTimestamp());

    private static ScaleCost Since((TimeSpan Processor, long Clock) start) =>
        new((Environment.CpuUsage.TotalTime - start.Processor).TotalSeconds, Stopwatch.GetElapsedTime(start.Clock).TotalSeconds);

    private void Remove(string name)
    {
        foreach (var file in Directory.GetFiles(folder, name + "*"))
            File.Delete(file);
    }
}
