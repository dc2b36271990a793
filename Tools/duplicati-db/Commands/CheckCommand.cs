// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text.RegularExpressions;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>check [REMOTE] --dbpath FILE [--quick | --deep]</c></summary>
internal static partial class CheckCommand
{
    private const int Shown = 10;

    private const string Description = """
        Tell what is wrong with a backup and what to do about it: the database in itself and, with a REMOTE, the remote folder and how the
        two fit together. The first line is the verdict; then each finding once, what it means for your files, and the command that mends it.
        Changes nothing.

        Without --quick or --deep every volume is fetched and its size and hash are compared.

        Exit codes: 0 all is well, 1 something has to be mended, 3 or 10 to 12 it cannot be checked.

        Examples:
          duplicati-db check --dbpath me.sqlite
          duplicati-db check remote --dbpath me.sqlite --no-encryption --deep
          duplicati-db check remote --no-encryption
        """;

    private static readonly Argument<string?> s_remote = new("REMOTE")
    {
        Description = CommonOptions.Remote.Description,
        Arity = ArgumentArity.ZeroOrOne,
    };
    private static readonly Option<bool> s_quick = new("--quick") { Description = "Compare names and sizes of volumes only." };
    private static readonly Option<bool> s_deep = new("--deep")
    {
        Description = "Read everything in every volume, and each index of the database against its table.",
    };

    internal static Command Create()
    {
        var command = new Command("check", Description).With(
            s_remote,
            KnownDatabase.Path,
            s_quick,
            s_deep,
            CommonOptions.PassphraseEnvironment,
            CommonOptions.PassphraseFile,
            CommonOptions.NoEncryption,
            CommonOptions.Prefix,
            CommonOptions.Preset
        );
        command.Checks(Check);
        return command
            .WithRclone()
            .WithOutput()
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var report = await new CheckOperation(Options(parsed, stop), parsed.ToAccess(), progress).RunAsync(Depth(parsed), stop);
                    console.Write(parsed, report, text => Describe(report, text));
                    return report.HasProblems ? ExitCode.Found : ExitCode.Ok;
                }
            );
    }

    private static void Check(CommandResult result)
    {
        if (result.GetValue(s_quick) && result.GetValue(s_deep))
            result.AddError("Give --quick or --deep, not both.");
    }

    private static CheckDepth Depth(ParseResult parsed) =>
        parsed.GetValue(s_deep) ? CheckDepth.Contents
        : parsed.GetValue(s_quick) ? CheckDepth.Names
        : CheckDepth.Hashes;

    // Without volumes nobody is asked for their passphrase.
    private static EngineOptions Options(ParseResult parsed, CancellationToken stop) =>
        parsed.GetValue(s_remote) is { } remote ? parsed.ToEngineOptions(remote, stop) : parsed.ToDatabaseOptions();

    private static void Describe(CheckReport report, TextWriter text)
    {
        text.WriteLine(SafeText.Line(report.Verdict));
        // Each volume has texts of its own, with its name and its size.
        foreach (var alike in report.Findings.GroupBy(x => (x.Severity, x.Kind, Common(x))))
        {
            var finding = alike.First();
            text.WriteLine();
            text.WriteLine($"{finding.Severity}: {SafeText.Of(finding.What)}");
            text.WriteLine(
                $"  where:  {string.Join($"{Environment.NewLine}          ", alike.Take(Shown).Select(x => SafeText.Of(x.Where)))}"
            );
            if (alike.Count() > Shown)
                text.WriteLine($"          and {alike.Count() - Shown} more; --json lists them");
            text.WriteLine($"  means:  {Shared(alike, x => x.Meaning)}");
            text.WriteLine($"  to do:  {Shared(alike, x => x.Mend)}");
            if (finding.Command is not null)
                text.WriteLine($"  run:    {Shared(alike, x => x.Command!)}");
        }
    }

    private static string Common(CheckFinding finding) =>
        Digits().Replace(finding.Where.Length > 0 ? finding.What.Replace(finding.Where, "", StringComparison.Ordinal) : finding.What, "");

    private static string Shared(IEnumerable<CheckFinding> alike, Func<CheckFinding, string> text)
    {
        var texts = alike.Select(text).Distinct(StringComparer.Ordinal).Take(2).ToList();
        return SafeText.Of(texts[0]) + (texts.Count > 1 ? "  (the first; alike for the others)" : "");
    }

    [GeneratedRegex("[0-9]+")]
    private static partial Regex Digits();
}
