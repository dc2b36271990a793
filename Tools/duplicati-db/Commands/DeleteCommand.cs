// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary>
/// <c>delete REMOTE --dbpath FILE --version N</c>, or <c>--time TIME</c>, <c>--keep-versions N</c>, <c>--keep-time TIME</c>,
/// <c>--retention-policy POLICY</c>
/// </summary>
internal static class DeleteCommand
{
    private const string Description = """
        Delete versions, and free the space of what no other version needs.

        Give the versions, or one rule for those to keep. A rule never takes the newest version, nor the newest complete one; and
        --keep-versions counts complete ones only.
        A retention policy says for each age of versions which interval there is to be between them: 1W:1D,4W:1W,12M:1M keeps one a day for a
        week, one a week for four weeks, one a month for twelve months, and nothing older. U is an age without an end, or an interval
        that keeps all: 7D:U,U:1M.
        """;

    private static readonly Option<long[]> s_version = CommonOptions.Versions("Versions to delete, 0 = newest.");
    private static readonly Option<DateTime[]> s_time = CommonOptions.Times("A version to delete, by its time.");
    private static readonly Option<int?> s_keepVersions = new("--keep-versions")
    {
        Description = "Keep this many of the newest versions, delete all others.",
        CustomParser = ParseCount,
    };
    private static readonly Option<DateTime?> s_keepTime = CommonOptions.Time(
        "Delete the versions that are older than this.",
        "--keep-time"
    );
    private static readonly Option<RetentionPolicy?> s_policy = new("--retention-policy")
    {
        Description = "Thin out versions by age, such as 1W:1D,4W:1W,12M:1M.",
        CustomParser = result => CommonOptions.Parsed(result, () => RetentionPolicy.Parse(CommonOptions.Text(result))),
    };

    internal static Command Create()
    {
        s_version.AllowMultipleArgumentsPerToken = true;
        var noCompact = new Option<bool>("--no-compact") { Description = "Do not free space in block volumes afterwards." };
        var all = new Option<bool>("--allow-full-removal") { Description = "Permit to delete every version." };
        var command = new Command("delete", Description)
            .WithRemote()
            .WithCompression()
            .With(s_version, s_time, s_keepVersions, s_keepTime, s_policy, noCompact, all, CommonOptions.DryRun, CommonOptions.Yes);
        command.Checks(Check);
        return command.Runs(
            async (console, parsed, progress, stop) =>
            {
                var options = parsed.ToEngineOptions(stop) with { NoAutoCompact = parsed.GetValue(noCompact) };
                var choices = new DeleteChoices
                {
                    Versions = parsed.GetValue(s_version) ?? [],
                    Times = parsed.GetValue(s_time) ?? [],
                    AllowAll = parsed.GetValue(all),
                    KeepVersions = parsed.GetValue(s_keepVersions),
                    KeepSince = parsed.GetValue(s_keepTime),
                    Policy = parsed.GetValue(s_policy),
                    Shown = new ShownVersions(),
                };
                if (choices.KeepSince?.ToUniversalTime() > DateTime.UtcNow)
                    throw new UserInformationException(
                        "The time of --keep-time is in the future; give one in the past.",
                        "InvalidKeepTime"
                    );
                await Confirmation.RequireAsync(console, parsed, () => LossesAsync(options, choices, stop), stop);
                var report = await new DeleteOperation(options, progress).RunAsync(choices, stop);
                console.Write(parsed, report, text => Describe(report, text));
                return report.NotFound.Count > 0 ? ExitCode.Found : ExitCode.Ok;
            }
        );
    }

    private static void Check(CommandResult result)
    {
        if (
            new Option[] { s_version, s_time, s_keepVersions, s_keepTime, s_policy }.Count(x =>
                result.GetResult(x) is { Tokens.Count: > 0 }
            ) != 1
        )
            result.AddError("Give one of --version, --time, --keep-versions, --keep-time and --retention-policy.");
    }

    private static int? ParseCount(ArgumentResult result)
    {
        if (int.TryParse(result.Tokens.Single().Value, NumberStyles.None, CultureInfo.InvariantCulture, out var count) && count > 0)
            return count;
        result.AddError("--keep-versions takes 1 or more.");
        return null;
    }

    private static async Task<IReadOnlyList<string>> LossesAsync(EngineOptions options, DeleteChoices choices, CancellationToken token)
    {
        var plan = await new DeleteOperation(options with { DryRun = true, NoAutoCompact = true }, SilentProgress.Instance).RunAsync(
            choices,
            token
        );
        return Confirmation.Describe(plan.Losses);
    }

    private static void Describe(DeleteReport report, TextWriter text)
    {
        text.WriteLine($"{(report.DryRun ? "Would delete" : "Deleted")} {SizeText.Count(report.DeletedVersions, "version")}.");
        foreach (var line in Confirmation.Describe(report.Losses))
            text.WriteLine($"  {line}");
        if (report.Compact is { } compact)
            CompactCommand.Describe(compact, report.DryRun, text);
    }
}
