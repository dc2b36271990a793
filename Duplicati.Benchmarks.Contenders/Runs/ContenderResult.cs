// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;
using Duplicati.Benchmarks.Contenders.Engines;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Contenders.Runs;

/// <summary>All samples of a run, as a page and as a list.</summary>
/// <param name="environment">Where and when.</param>
/// <param name="samples">What was measured.</param>
/// <param name="flushes">Flushes a commit, by engine; empty if they were not counted.</param>
internal sealed class ContenderResult(RunEnvironment environment, IReadOnlyList<Sample> samples, Dictionary<string, double> flushes)
{
    private const string Project = "dotnet run -c Release --project Duplicati.Benchmarks.Contenders --";

    private readonly StringBuilder m_text = new();

    /// <summary>The page.</summary>
    /// <param name="arguments">The arguments that repeat the run.</param>
    public string Text(string arguments)
    {
        m_text.Clear();
        Line("# What would you pick instead?");
        Line(
            """

            Other ways to use SQLite from .NET, and other engines in the process, beside this layer. Each contender runs in a
            process of its own, in turns with the others, on the same data. Each answers with the same checksum, or the run ends.
            This page is written by:
            """
        );
        Line($"\n```sh\n{Project} {arguments}\n```\n");
        Line($"- machine: {environment.Machine}{Load}");
        Line(
            $"- {environment.Runtime}; commit {environment.Commit}; seed {environment.Seed}; {environment.Date}; medians of {samples.Max(x => x.Round)} rounds"
        );
        Line("- the best of a row is bold; times are microseconds an operation, less is better");
        foreach (var rows in samples.Select(x => x.Rows).Distinct())
            AppendSize(rows);
        AppendContenders();
        return m_text.ToString();
    }

    /// <summary>A line for every figure.</summary>
    public string Csv() =>
        string.Concat(
            samples
                .SelectMany(sample =>
                    sample.Reply.Figures.Select(x =>
                        string.Create(
                            CultureInfo.InvariantCulture,
                            $"{sample.Table},{sample.Rows},{sample.Round},\"{sample.Contender}\",\"{x.Question}\",{x.Unit},{x.Value},{x.Answer}\n"
                        )
                    )
                )
                .Prepend("table,rows,round,contender,question,unit,value,answer\n")
        );

    private string Load =>
        environment.Load is { } load
            ? string.Create(CultureInfo.InvariantCulture, $"; {load:0.0} processes wanted a processor when it began")
            : "";

    private void AppendSize(int rows)
    {
        var count = Numbers.Whole(rows);
        if (Of(ContenderRequest.Providers, rows) is { Count: > 0 } providers)
        {
            Line($"\n## Ways to use SQLite, {count} blocks in the table\n");
            Line(Table("Duplicati's tables, WAL, synchronous NORMAL; a block", providers));
            Line(
                """

                `EF Core` calls `Find`, and `SaveChanges` for each row; `bulk` compiles its queries and saves all rows of a call
                at once. `Function pointers` is SQLite's C API from .NET, `C loop` the same from C; without a C compiler it is left
                out. "This layer" is called member by member, and keeps in memory what it has looked up; when it has asked for an
                eighth of the blocks it reads all of them, which falls into a row or two here.
                """
            );
        }

        if (Of(ContenderRequest.Engines, rows) is not { Count: > 0 } engines)
            return;
        Line($"\n## Engines, {count} rows in the table\n");
        Line(Table("one table, key and two numbers; every commit durable", engines));
        AppendReaders(engines, count);
        AppendBeaten(engines);
        Line(
            """

            "SQLite by hand" is Microsoft.Data.Sqlite: a connection a thread, with commands prepared once. `ConcurrentDatabase` of
            SQLiteHelper writes through its commit queue and reads through its pool, a task a call; the queue is what gains where
            several write. LiteDB 5 writes its log at a commit and leaves the flush to the system ([issue
            2818](https://github.com/litedb-org/LiteDB/issues/2818)); it is flushed here after each commit, from outside, so that
            all rows are as durable. It "fails" where a reader beside the writer did not find rows that were committed long
            before, or the engine gave an error of its own ("pages in memory store must be non-shared"). DuckDB gets several rows
            by its appender, its way of loading many. Memory is the peak of the process above what it had before it opened
            anything, with mapped pages. File sizes are those after closing, which brings logs in.
            """
        );
    }

    private List<Sample> Of(string table, int rows) => [.. samples.Where(x => x.Table == table && x.Rows == rows)];

    private string Table(string title, List<Sample> table)
    {
        var contenders = table.Select(x => x.Contender).Distinct().ToList();
        return new TableResults
        {
            Title = title,
            Command = "",
            Environment = environment,
            Texts = [title],
            Figures = contenders,
            Rows = [.. Questions(table).Select(question => Row(table, contenders, question))],
        }.Markdown();
    }

    private static IEnumerable<string> Questions(List<Sample> table) => table[0].Reply.Figures.Select(x => x.Question);

    private static List<string> Row(List<Sample> table, List<string> contenders, string question)
    {
        var medians = contenders.ConvertAll(x =>
            (IsFaulty: IsFaulty(table, x, question), Value: Numbers.Median(Values(table, x, question)))
        );
        var best = medians.Where(x => !x.IsFaulty).Select(x => x.Value).DefaultIfEmpty().Min();
        return
        [
            question,
            .. medians.Select(x =>
                x.IsFaulty ? "fails"
                : x.Value <= best ? $"**{Short(x.Value)}**"
                : Short(x.Value)
            ),
        ];
    }

    private static bool IsFaulty(List<Sample> table, string contender, string question) =>
        Figures(table, contender, question).Any(x => x.Faults > 0);

    private static List<double> Values(List<Sample> table, string contender, string question) =>
        [.. Figures(table, contender, question).Select(x => x.Value)];

    private static IEnumerable<Figure> Figures(List<Sample> table, string contender, string question) =>
        table.Where(x => x.Contender == contender).SelectMany(x => x.Reply.Figures).Where(x => x.Question == question);

    private static string Short(double value) =>
        value.ToString(
            value switch
            {
                < 10 => "0.00",
                < 100 => "0.0",
                _ => "N0",
            },
            CultureInfo.InvariantCulture
        );

    private void AppendReaders(List<Sample> engines, string rows)
    {
        string[] others = [.. new[] { StorageEngine.ByHand, StorageEngine.WithDapper }.Where(x => engines.Exists(y => y.Contender == x))];
        if (others.Length == 0 || !engines.Exists(x => x.Contender == StorageEngine.Concurrent))
            return;
        var parts = others.Select(other =>
        {
            var ratio = SpeedUp.Of(
                other,
                rows,
                Values(engines, other, EngineWork.ReadersBesideWriter),
                Values(engines, StorageEngine.Concurrent, EngineWork.ReadersBesideWriter)
            );
            return $"{Numbers.Two(ratio.Ratio)} [{Numbers.Two(ratio.Low)} to {Numbers.Two(ratio.High)}] over {other}";
        });
        Line($"\n8 readers beside a writer, speed-up of `{StorageEngine.Concurrent}`: {string.Join(", ", parts)}.");
    }

    private void AppendBeaten(List<Sample> engines)
    {
        var lines = new List<string>();
        foreach (var question in Questions(engines))
        {
            var ranked = StorageEngine
                .All.Where(x => engines.Exists(y => y.Contender == x.Name) && !IsFaulty(engines, x.Name, question))
                .Select(x => (Engine: x, Value: Numbers.Median(Values(engines, x.Name, question))))
                .OrderBy(x => x.Value)
                .ToList();
            if (ranked.Count > 0 && !ranked[0].Engine.IsSqlite && ranked.Find(x => x.Engine.IsSqlite) is { Engine: not null } sqlite)
                lines.Add($"- {question}: {ranked[0].Engine.Name} needs {ranked[0].Value / sqlite.Value:P0} of the best of SQLite.");
        }

        Line(
            lines.Count == 0
                ? "\nNo other engine beats SQLite in any row."
                : $"\nWhere another engine beats all of SQLite:\n\n{string.Join('\n', lines)}"
        );
    }

    private void AppendContenders()
    {
        Line("\n## The contenders\n");
        Line(
            new TableResults
            {
                Title = "",
                Command = "",
                Environment = environment,
                Texts = ["contender", "package", "keeps the data", "settings, as read back"],
                Figures = flushes.Count > 0 ? ["flushes a commit"] : [],
                Rows =
                [
                    .. samples
                        .DistinctBy(x => (x.Table, x.Contender))
                        .Select(x =>
                            (IReadOnlyList<string>)
                                [
                                    x.Contender,
                                    x.Reply.Package,
                                    x.Reply.Engine,
                                    x.Reply.Settings,
                                    .. flushes.Count == 0 ? Array.Empty<string>()
                                    : flushes.TryGetValue(x.Contender, out var count) ? [Numbers.Two(count)]
                                    : ["–"],
                                ]
                        ),
                ],
            }.Markdown()
        );
    }

    private void Line(string text) => m_text.Append(text).Append('\n');
}
