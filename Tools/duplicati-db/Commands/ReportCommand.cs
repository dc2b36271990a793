// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>report --dbpath FILE --output page.html</c></summary>
internal static class ReportCommand
{
    private const string Description = """
        Show a backup as one page: its growth, what fills it, what changes, what is waste, and what takes space and time.

        The page has growth by version, what fills the newest version by folder and type, change rate and deduplication of each version,
        waste by volume and what a compact would give, the size of the database by table, and the operations that took longest. It loads
        nothing and runs nothing, so that it can be kept or sent; it has names of folders and of the database. A file that exists is not
        overwritten. With --json the same goes to the output, and the page is made if --output is given. The database is only read.

        Examples:
          duplicati-db report --dbpath me.sqlite --output page.html
          duplicati-db report --dbpath me.sqlite --json
        """;

    private static readonly Option<FileInfo?> s_output = new("--output") { Description = "The page to make." };

    internal static Command Create()
    {
        var command = new Command("report", Description).With(CommonOptions.DatabasePath, s_output, CommonOptions.Preset);
        command.Checks(result =>
        {
            if (result.GetValue(s_output) is null && !result.GetValue(CommonOptions.Json))
                result.AddError("Give --output FILE for a page, or --json.");
        });
        return command
            .WithOutput()
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var target = parsed.GetValue(s_output)?.FullName;
                    var report = await RunAsync(parsed, target, progress, stop);
                    console.Write(parsed, report, text => text.WriteLine($"The page is {SafeText.Of(target!)}."));
                    return ExitCode.Ok;
                }
            );
    }

    private static async Task<OverviewReport> RunAsync(
        ParseResult parsed,
        string? target,
        IEngineProgress progress,
        CancellationToken token
    )
    {
        if (target is not null)
            NewFile.RequireFree(target);
        var database = parsed.GetValue(CommonOptions.DatabasePath)!;
        var report = await new OverviewOperation(parsed.ToDatabaseOptions(), progress).RunAsync(token);
        if (target is not null)
            await NewFile.WriteAsync(target, name => File.WriteAllTextAsync(name, ReportPage.Of(database.Name, report), token));
        return report;
    }
}
