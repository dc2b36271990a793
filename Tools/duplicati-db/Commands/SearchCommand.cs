// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>search --dbpath FILE [PATTERN…]</c></summary>
internal static class SearchCommand
{
    private const string Description = """
        Find files, folders and symbolic links by their path in all versions, or in some. Changes nothing.

        A PATTERN without wildcards is found anywhere in the path; one with *, ? or [...] has to fit all of it.

        Examples:
          duplicati-db search --dbpath me.sqlite report
          duplicati-db search --dbpath me.sqlite "*.txt" --path /home/me/docs --version 0
          duplicati-db search --dbpath me.sqlite --exclude "*.tmp" --limit 100 --offset 200 --json
        """;

    private static readonly Argument<string[]> s_patterns = new("PATTERN")
    {
        Description = "What to look for (default everything).",
        Arity = ArgumentArity.ZeroOrMore,
    };
    private static readonly Option<string[]> s_include = new("--include") { Description = "The same as a PATTERN." };
    private static readonly Option<string[]> s_exclude = new("--exclude")
    {
        Description = "Leave out what fits a pattern, or has this text anywhere in its path. May be repeated.",
    };
    private static readonly Option<long[]> s_version = CommonOptions.Versions("Search these versions, 0 = newest.");
    private static readonly Option<bool> s_allVersions = new("--all-versions")
    {
        Description = "Search all versions, as is done without --version.",
    };
    private static readonly Option<string[]> s_path = new("--path") { Description = "Folders: find only what lies directly in them." };
    private static readonly Option<bool> s_caseSensitive = new("--case-sensitive") { Description = "Tell a from A." };
    private static readonly Option<bool> s_metadata = new("--metadata")
    {
        Description = "Look into names stored with the metadata as well.",
    };
    private static readonly Option<long> s_offset = new("--offset") { Description = "Skip this many entries; needs --limit." };
    private static readonly Option<long> s_limit = new("--limit") { Description = "Maximum number of entries (default all)." };

    internal static Command Create()
    {
        var command = new Command("search", Description).With(
            s_patterns,
            CommonOptions.DatabasePath,
            s_version,
            s_allVersions,
            s_path,
            s_include,
            s_exclude,
            s_caseSensitive,
            s_metadata,
            s_offset,
            s_limit,
            CommonOptions.Preset
        );
        command.Checks(Check);
        return command
            .WithOutput()
            .Runs(
                async (console, parsed, _, stop) =>
                {
                    var report = await new SearchOperation(
                        parsed.GetValue(CommonOptions.DatabasePath)!.FullName,
                        parsed.GetValue(CommonOptions.Preset)!
                    ).RunAsync(Request(parsed), stop);
                    console.Write(parsed, report, text => Describe(report, text));
                    return ExitCode.Ok;
                }
            );
    }

    private static void Check(CommandResult result)
    {
        if (result.GetValue(s_allVersions) && result.GetValue(s_version) is { Length: > 0 })
            result.AddError("Give --version or --all-versions, not both.");
        if (result.GetResult(s_limit) is not null && result.GetValue(s_limit) <= 0)
            result.AddError("--limit must be 1 or more.");
        if (result.GetValue(s_offset) < 0)
            result.AddError("--offset must be 0 or more.");
        if (result.GetValue(s_offset) > 0 && result.GetValue(s_limit) <= 0)
            result.AddError("--offset needs --limit.");
    }

    private static SearchRequest Request(ParseResult parsed) =>
        new()
        {
            Patterns = [.. parsed.GetValue(s_patterns) ?? [], .. parsed.GetValue(s_include) ?? []],
            Exclusions = parsed.GetValue(s_exclude) ?? [],
            Folders = parsed.GetValue(s_path) ?? [],
            Versions = parsed.GetValue(s_version) ?? [],
            CaseSensitive = parsed.GetValue(s_caseSensitive),
            Metadata = parsed.GetValue(s_metadata),
            Offset = parsed.GetValue(s_offset),
            Limit = parsed.GetValue(s_limit),
        };

    private static void Describe(SearchReport report, TextWriter text)
    {
        foreach (var entry in report.Entries)
            text.WriteLine(
                $"{entry.Version, 5}  {ListText.Time(entry.VersionTime)}  {ListText.Size(entry.Type, entry.Size), 15}  {SafeText.Of(entry.Path)}"
            );
        text.WriteLine($"{report.Entries.Count} of {SizeText.Count(report.Total, "entry")}.");
    }
}
