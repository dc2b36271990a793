// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>restore REMOTE --dbpath FILE --target DIR</c> or <c>restore REMOTE --no-database --target DIR</c></summary>
internal static class RestoreCommand
{
    private const string Description = """
        Restore a version, or some of its files. Existing files that differ are kept; the restored file gets another name.

        Without a database of the backup, --no-database reads the file list of the version and the index volumes instead, into a temporary one.
        Without --version and --time it is the newest complete version. Of several (--version 1-9), the newest that holds what is
        wanted is restored. A file is checked when its blocks are in; --verify compares all of them once more at the end, those that
        were there before as well. A file that lacks blocks is restored as far as possible, with the ending .incomplete.

        Owners, and attributes that give rights (such as capabilities), are not taken from the remote folder unasked: add
        --restore-privileges when you restore a system of your own, as the administrator:
          duplicati-db restore /mnt/remote --dbpath me.sqlite --target / --restore-privileges --passphrase-file secret.txt
        """;

    private static readonly Option<FileInfo?> s_database = new("--dbpath") { Description = "The local database file." };
    private static readonly Option<bool> s_noDatabase = new("--no-database")
    {
        Description = "Do without a database; index volumes are read instead.",
    };
    private static readonly Option<DirectoryInfo> s_target = new("--target")
    {
        Description = "The folder to restore into.",
        Required = true,
    };
    private static readonly Option<long[]> s_version = CommonOptions.Versions("The version to restore, 0 = newest.");
    private static readonly Option<DateTime?> s_time = CommonOptions.Time("Restore the last version made at or before this time.");
    private static readonly Option<string[]> s_include = new("--include")
    {
        Description = CommonOptions.Include.Description,
        AllowMultipleArgumentsPerToken = true,
    };
    private static readonly Option<bool> s_overwrite = new("--overwrite")
    {
        Description = "Replace files in the way that differ, each when the restored one is complete.",
    };
    private static readonly Option<bool> s_skip = new("--skip-existing") { Description = "Leave alone what is there, whatever is in it." };
    private static readonly Option<bool> s_privileges = new("--restore-privileges")
    {
        Description = "Restore also owners, groups, and extended attributes of security.* and trusted.*, such as capabilities.",
    };
    private static readonly Option<bool> s_verify = new("--verify")
    {
        Description = "Compare all files with the version once more when all is done.",
    };

    internal static Command Create()
    {
        var command = new Command("restore", Description)
            .WithRemote(database: null)
            .With(
                s_database,
                s_noDatabase,
                s_target,
                s_version,
                s_time,
                s_include,
                CommonOptions.Exclude,
                s_overwrite,
                s_skip,
                s_privileges,
                s_verify,
                CommonOptions.Preset
            );
        command.Checks(Check);
        return command.Runs(
            async (console, parsed, progress, stop) =>
            {
                var report = await RestoreAsync(parsed, progress, stop);
                console.Write(parsed, report, text => Describe(report, text));
                var isAsked = parsed.GetValue(s_time) is not null || parsed.GetValue(s_version) is { Length: > 0 };
                return
                    report.Failed.Count + report.Different.Count + report.NotFound.Count + report.ListProblems.Count > 0
                    || report.HasLostBlocks
                    || !(report.IsFull || isAsked)
                    ? ExitCode.Found
                    : ExitCode.Ok;
            }
        );
    }

    private static void Check(CommandResult result)
    {
        if ((result.GetResult(s_database) is null) == !result.GetValue(s_noDatabase))
            result.AddError("Give either --dbpath FILE or --no-database.");
        if (result.GetValue(s_overwrite) && result.GetValue(s_skip))
            result.AddError("Give either --overwrite or --skip-existing, not both.");
    }

    private static Task<RestoreReport> RestoreAsync(ParseResult parsed, IEngineProgress progress, CancellationToken token)
    {
        var versions = parsed.GetValue(s_version) ?? [];
        var time = parsed.GetValue(s_time);
        if (versions.Length > 0 && time is not null)
            throw new UserInformationException("Give either --version or --time, not both.", "InvalidVersion");

        var choices = new RestoreChoices
        {
            Versions = versions,
            Time = time,
            Include = parsed.GetValue(s_include) ?? [],
            Exclude = parsed.GetValue(CommonOptions.Exclude) ?? [],
            Existing =
                parsed.GetValue(s_overwrite) ? ExistingFileChoice.Overwrite
                : parsed.GetValue(s_skip) ? ExistingFileChoice.Skip
                : ExistingFileChoice.Keep,
            Privileges = parsed.GetValue(s_privileges),
            Verify = parsed.GetValue(s_verify),
        };
        var options = parsed.ToEngineOptions(token) with { DatabasePath = parsed.GetValue(s_database)?.FullName ?? "" };
        var target = parsed.GetValue(s_target)!.FullName;
        return parsed.GetValue(s_noDatabase)
            ? new DirectRestoreOperation(options, progress).RunAsync(target, choices, token)
            : new RestoreOperation(options, progress).RunAsync(target, choices, token);
    }

    private static void Describe(RestoreReport report, TextWriter text)
    {
        text.WriteLine(
            $"Restored {SizeText.Count(report.Files, "file")} ({SizeText.Of(report.Bytes)}), {SizeText.Count(report.Folders, "folder")} and {SizeText.Count(report.Symlinks, "symbolic link")} of version {report.Version} from {SizeText.Count(report.Volumes, "volume")}; {report.Failed.Count} failed."
        );
        if (report.Skipped > 0)
            text.WriteLine($"Left as they are, since they were there already: {report.Skipped}.");
        if (report.Verified is { } verified)
            text.WriteLine(
                $"Compared {SizeText.Count(verified, "file")} once more; with other content than in the version: {report.Different.Count}."
            );
    }
}
