// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>changes --dbpath FILE [--from N --to N] [FILTER…]</c></summary>
internal static class ChangesCommand
{
    private const string Description = """
        List what differs between two versions: added, deleted and modified entries, and the sizes of both. Changes nothing.

        Examples:
          duplicati-db changes --dbpath me.sqlite
          duplicati-db changes --dbpath me.sqlite --from 3 --to 0 --full-result
          duplicati-db changes --dbpath me.sqlite "*/docs/*" --exclude "*.tmp" --json
        """;

    internal static Command Create()
    {
        var filter = new Argument<string[]>("FILTER")
        {
            Description = "Paths to look at, with * and ? as wildcards, or [regular expressions] (default all).",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var from = new Option<int>("--from") { Description = "The version to start from, 0 = newest.", DefaultValueFactory = _ => 1 };
        var to = new Option<int>("--to") { Description = "The version to compare with.", DefaultValueFactory = _ => 0 };
        return new Command("changes", Description)
            .With(
                filter,
                CommonOptions.DatabasePath,
                from,
                to,
                CommonOptions.Include,
                CommonOptions.Exclude,
                CommonOptions.FullResult,
                CommonOptions.Preset
            )
            .WithOutput()
            .Runs(
                async (console, parsed, _, stop) =>
                {
                    var wanted = PathFilter.Trees(
                        [.. parsed.GetValue(filter) ?? [], .. parsed.GetValue(CommonOptions.Include) ?? []],
                        parsed.GetValue(CommonOptions.Exclude) ?? []
                    );
                    var report = await new ChangesOperation(
                        parsed.GetValue(CommonOptions.DatabasePath)!.FullName,
                        parsed.GetValue(CommonOptions.Preset)!
                    ).RunAsync(parsed.GetValue(from), parsed.GetValue(to), wanted, stop);
                    console.Write(parsed, report, text => Describe(report, parsed.GetValue(CommonOptions.FullResult), text));
                    return ExitCode.Ok;
                }
            );
    }

    private static void Describe(ChangesReport report, bool full, TextWriter text)
    {
        foreach (var version in new[] { report.From, report.To })
            text.WriteLine($"Version {version.Version}, {ListText.Time(version.Time)}: {SizeText.Of(version.Bytes)}");
        Describe(report, ListChangesChangeType.Added, report.Added, full, text);
        Describe(report, ListChangesChangeType.Deleted, report.Deleted, full, text);
        Describe(report, ListChangesChangeType.Modified, report.Modified, full, text);
    }

    private static void Describe(ChangesReport report, ListChangesChangeType change, ChangeCounts counts, bool full, TextWriter text)
    {
        text.WriteLine(
            $"{change}: {SizeText.Count(counts.Folders, "folder")}, {SizeText.Count(counts.Symlinks, "symbolic link")}, {SizeText.Count(counts.Files, "file")}"
        );
        var sign = change switch
        {
            ListChangesChangeType.Added => '+',
            ListChangesChangeType.Deleted => '-',
            _ => '~',
        };
        ListText.Write(text, [.. report.Changes.Where(x => x.Change == change)], full, x => $"{sign} {SafeText.Of(x.Path)}");
    }
}
