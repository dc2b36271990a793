// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Duplicati.Benchmarks.Contenders.Engines;
using Duplicati.Benchmarks.Contenders.Providers;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Contenders.Runs;

/// <summary>Lets all contenders run, a process each, in turns, and shows what they cost. Tables go to stdout, progress to stderr.</summary>
internal sealed class ContenderRun(int[] sizes, int rounds, string[] only, bool isSmoke, string? kept)
{
    private readonly List<Sample> m_samples = [];

    /// <summary>Runs all.</summary>
    /// <param name="page">The page to write, or null.</param>
    /// <param name="csv">The file for all figures, or null.</param>
    /// <returns>One of <see cref="ExitCodes"/>.</returns>
    public int Run(FileInfo? page, FileInfo? csv)
    {
        (string Table, string Name)[] contenders =
        [
            .. Provider.All.Select(x => (ContenderRequest.Providers, x.Name)),
            .. StorageEngine.All.Select(x => (ContenderRequest.Engines, x.Name)),
        ];
        contenders = [.. contenders.Where(x => IsWanted(x.Name))];
        if (contenders.Length == 0 || rounds < 1 || sizes.Length == 0 || sizes.Any(x => x < ContenderChild.SmallRows))
        {
            Console.Error.WriteLine($"Choose at least one contender, one round, and {ContenderChild.SmallRows} rows.");
            return ExitCodes.WrongCommandLine;
        }

        Console.Error.WriteLine($"seed {BlockKeys.Seed}");
        var environment = RunEnvironment.Current(BlockKeys.Seed, "as each contender's settings say");
        using var folder = new TempFolder();
        try
        {
            foreach (var rows in sizes)
                RunSize(contenders, rows, folder);
            var flushes = isSmoke ? [] : FlushCount.All(StorageEngine.All.Where(x => IsWanted(x.Name)), Folder(folder));
            var result = new ContenderResult(environment, m_samples, flushes);
            var text = result.Text(Words(page));
            Console.Out.WriteLine(text);
            if (csv is not null)
                File.WriteAllText(csv.FullName, result.Csv());
            if (page is not null)
                File.WriteAllText(page.FullName, text);
            return ExitCodes.Done;
        }
        catch (ContenderException ex)
        {
            Console.Error.WriteLine(ex.Message);
            return ExitCodes.Failed;
        }
        finally
        {
            DatabaseTemplates.Remove();
        }
    }

    // What has to be typed for the same page.
    private string Words(FileInfo? page) =>
        string.Concat(
            isSmoke ? "--smoke" : FormattableString.Invariant($"--rows {string.Join(' ', sizes)} -r {rounds}"),
            only.Length == 0 ? "" : " --only",
            string.Concat(only.Select(x => $" \"{x}\"")),
            page is null ? "" : $" --output {page}"
        );

    private bool IsWanted(string name) => only.Length == 0 || only.Any(x => name.Contains(x, StringComparison.OrdinalIgnoreCase));

    private void RunSize((string Table, string Name)[] contenders, int rows, string folder)
    {
        var needsTemplate = contenders.Any(x => x.Table == ContenderRequest.Providers);
        var template = needsTemplate ? BlocksetDatabase.Template(rows) : "";
        var small = needsTemplate ? BlocksetDatabase.Template(ContenderChild.SmallRows) : "";
        for (var round = 1; round <= rounds; round++)
        {
            foreach (var (table, name) in contenders)
            {
                if (Kept(table, rows, round, name) is { } before)
                {
                    m_samples.Add(before);
                    continue;
                }

                var watch = Stopwatch.StartNew();
                var place = Folder(folder);
                var request = new ContenderRequest(table, name, place, template, small, rows, isSmoke);
                var reply = JsonSerializer.Deserialize<ContenderReply>(ContenderProcess.Run(request))!;
                Directory.Delete(place, recursive: true);
                m_samples.Add(new Sample(table, rows, round, name, RunEnvironment.CurrentCommit, reply));
                if (kept is not null)
                    File.AppendAllLines(kept, [JsonSerializer.Serialize(m_samples[^1])]);
                Console.Error.WriteLine(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{rows:N0} rows, round {round}, {name}: {watch.Elapsed.TotalSeconds:0.0} s"
                    )
                );
            }
        }

        HoldAgainstEachOther(rows);
    }

    private Sample? Kept(string table, int rows, int round, string name) =>
        kept is not null && File.Exists(kept)
            ? File.ReadLines(kept)
                .Select(x => JsonSerializer.Deserialize<Sample>(x)!)
                .FirstOrDefault(x =>
                    (x.Table, x.Rows, x.Round, x.Contender, x.Commit) == (table, rows, round, name, RunEnvironment.CurrentCommit)
                )
            : null;

    private void HoldAgainstEachOther(int rows)
    {
        var answers =
            from sample in m_samples
            where sample.Rows == rows
            from figure in sample.Reply.Figures
            where figure.Answer is not null
            group (sample.Contender, figure.Answer) by (sample.Table, figure.Question) into question
            where question.Select(x => x.Answer).Distinct().Count() > 1
            select $"{question.Key.Question}: {string.Join(", ", question.Distinct().Select(x => $"{x.Contender} answers {x.Answer}"))}";
        // Another engine's fault is shown; that of SQLite would be one of this program.
        var faults =
            from sample in m_samples
            where sample.Rows == rows && StorageEngine.All.Any(x => x.IsSqlite && x.Name == sample.Contender)
            from figure in sample.Reply.Figures
            where figure.Faults > 0
            select $"{figure.Question}: {figure.Faults} requests of {sample.Contender} failed";
        if (answers.Concat(faults).ToList() is { Count: > 0 } different)
            throw new ContenderException(string.Join('\n', different));
    }

    private static string Folder(string parent) =>
        Directory.CreateDirectory(Path.Combine(parent, Guid.NewGuid().ToString("N", CultureInfo.InvariantCulture))).FullName;
}

/// <summary>A contender failed, or answered something else than the others.</summary>
internal sealed class ContenderException(string message) : Exception(message);

/// <summary>Processes of this program.</summary>
internal static class ContenderProcess
{
    /// <summary>Runs a contender and returns what it wrote.</summary>
    /// <param name="request">What it is to do.</param>
    /// <param name="before">A program to start it with, and its arguments.</param>
    /// <exception cref="ContenderException">It failed.</exception>
    public static string Run(ContenderRequest request, params string[] before)
    {
        string[] words = [.. before, .. Itself(), ContenderChild.Command, JsonSerializer.Serialize(request)];
        var start = new ProcessStartInfo(words[0], words[1..]) { UseShellExecute = false, RedirectStandardOutput = true };
        using var process = Process.Start(start)!;
        var written = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0
            ? written
            : throw new ContenderException($"{request.Contender} ended with exit code {process.ExitCode} on {request.Rows} rows.");
    }

    private static string[] Itself() =>
        Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet"
            ? [Environment.ProcessPath!, typeof(ContenderProcess).Assembly.Location]
            : [Environment.ProcessPath!];
}
