// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>list REMOTE</c> or <c>list --dbpath FILE</c></summary>
internal static class ListCommand
{
    private const string Description = """
        List versions, entries, folders or the versions of files, from the remote folder or from a database. Changes nothing.

        Without further options the versions. With --version the entries of one version or of several (0,2-4). With --all-versions the paths of all
        versions and their sizes in each. With --folder what lies directly in a folder, of the newest version or of --version.
        With --file the versions that hold a file or folder.

        Examples:
          duplicati-db list remote --no-encryption
          duplicati-db list --dbpath me.sqlite --version 0 --include "*.txt" --exclude "*.bak"
          duplicati-db list --dbpath me.sqlite --all-versions --include /home/me/letter.txt
          duplicati-db list --dbpath me.sqlite --folder /home/me/docs --version 2
          duplicati-db list --dbpath me.sqlite --file /home/me/letter.txt --json
        """;

    private static readonly Argument<string?> s_remote = new("REMOTE")
    {
        Description = "The remote folder to list without a database.",
        Arity = ArgumentArity.ZeroOrOne,
    };
    private static readonly Option<FileInfo?> s_database = new("--dbpath") { Description = "The database to list from." };
    private static readonly Option<long[]> s_version = CommonOptions.Versions("The version, 0 = newest.");
    private static readonly Option<bool> s_allVersions = new("--all-versions")
    {
        Description = "List the paths of all versions and their sizes in each.",
    };
    private static readonly Option<string[]> s_include = new("--include", "--path") { Description = CommonOptions.Include.Description };
    private static readonly Option<string?> s_folder = new("--folder")
    {
        Description = "List what lies directly in this folder; blank for the topmost entries.",
    };
    private static readonly Option<string[]> s_file = new("--file") { Description = "List the versions that hold this file or folder." };

    internal static Command Create()
    {
        var command = new Command("list", Description).With(
            s_remote,
            s_database,
            s_version,
            s_allVersions,
            s_include,
            CommonOptions.Exclude,
            s_folder,
            s_file,
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
                    await ListAsync(console, parsed, Source(parsed, progress, stop), stop);
                    return ExitCode.Ok;
                }
            );
    }

    private static void Check(CommandResult result)
    {
        if ((result.GetValue(s_remote) is null) == (result.GetValue(s_database) is null))
            result.AddError("Give either a remote folder or --dbpath FILE.");
        var version = result.GetResult(s_version) is { Tokens.Count: > 0 };
        var all = result.GetValue(s_allVersions);
        var folder = result.GetValue(s_folder) is not null;
        var file = result.GetValue(s_file) is { Length: > 0 };
        var filter = result.GetValue(s_include) is { Length: > 0 } || result.GetValue(CommonOptions.Exclude) is { Length: > 0 };
        if ((all ? 1 : 0) + (folder ? 1 : 0) + (file ? 1 : 0) > 1)
            result.AddError("Give one of --all-versions, --folder and --file, not several.");
        if (version && (all || file))
            result.AddError("--version cannot be combined with --all-versions or --file, which list all versions.");
        if (filter && (folder || file || !(version || all)))
            result.AddError("--include and --exclude need --version or --all-versions.");
    }

    private static async Task ListAsync(ToolConsole console, ParseResult parsed, IVersionListing source, CancellationToken token)
    {
        if (parsed.GetValue(s_folder) is not null && parsed.GetValue(s_version) is { Length: > 1 })
            throw new UserInformationException("--folder lists one version; give one.", "InvalidVersion");
        if (parsed.GetValue(s_folder) is { } folder)
            Write(
                console,
                parsed,
                await source.FolderAsync(folder, (int)(parsed.GetValue(s_version)?.FirstOrDefault() ?? 0), token),
                Describe
            );
        else if (parsed.GetValue(s_file) is { Length: > 0 } files)
            Write(console, parsed, await source.FileVersionsAsync(files, token), Describe);
        else if (parsed.GetValue(s_allVersions))
            Write(console, parsed, await source.FindAsync(Filter(parsed), token), Describe);
        else if (parsed.GetValue(s_version) is [var version])
            Write(console, parsed, await source.EntriesAsync((int)version, Filter(parsed), token), Describe);
        else if (parsed.GetValue(s_version) is { Length: > 1 } versions)
            Write(console, parsed, await SeveralAsync(source, versions, Filter(parsed), token), Describe);
        else
            Write(console, parsed, await source.VersionsAsync(token), Describe);
    }

    private static async Task<IReadOnlyList<VersionEntries>> SeveralAsync(
        IVersionListing source,
        long[] versions,
        IFilter filter,
        CancellationToken token
    )
    {
        var found = new List<VersionEntries>();
        foreach (var version in versions)
            found.Add(new VersionEntries(version, await source.EntriesAsync((int)version, filter, token)));
        return found;
    }

    private static void Write<T>(ToolConsole console, ParseResult parsed, IReadOnlyList<T> items, Action<T, TextWriter> describe) =>
        console.Write(
            parsed,
            items,
            text =>
            {
                foreach (var item in items)
                    describe(item, text);
            }
        );

    private static IFilter Filter(ParseResult parsed) =>
        PathFilter.Trees(parsed.GetValue(s_include) ?? [], parsed.GetValue(CommonOptions.Exclude) ?? []);

    private static IVersionListing Source(ParseResult parsed, IEngineProgress progress, CancellationToken stop) =>
        parsed.GetValue(s_database) is { } database
            ? new DatabaseListing(database.FullName, parsed.GetValue(CommonOptions.Preset) ?? "default")
            : new RemoteListing(parsed.ToEngineOptions(parsed.GetValue(s_remote), stop), progress);

    private static void Describe(ListedVersion version, TextWriter text)
    {
        var content = version.Entries is { } entries ? $"  {SizeText.Count(entries, "entry")}, {SizeText.Of(version.Bytes ?? 0)}" : "";
        text.WriteLine(
            $"{version.Version, 5}  {ListText.Time(version.Time)}{content}{(version.IsFull == false ? "  (partial)" : "")}{(version.Label is { } label ? $"  {SafeText.Line(label)}" : "")}"
        );
    }

    private static void Describe(ListedEntry entry, TextWriter text) =>
        text.WriteLine($"{ListText.Size(entry.Type, entry.Size), 15}  {ListText.Time(entry.Time), -20}  {SafeText.Of(entry.Path)}");

    private static void Describe(VersionEntries version, TextWriter text)
    {
        text.WriteLine($"Version {version.Version}");
        foreach (var entry in version.Entries)
            Describe(entry, text);
    }

    private static void Describe(FoundPath path, TextWriter text)
    {
        text.WriteLine(SafeText.Of(path.Path));
        foreach (var version in path.Versions)
            text.WriteLine(
                $"{version.Version, 5}  {ListText.Time(version.Time)}  {(version.Size < 0 ? "-" : SizeText.Of(version.Size)), 15}"
            );
    }

    private static void Describe(PathVersions path, TextWriter text)
    {
        text.WriteLine($"{SafeText.Of(path.Path)}{(path.Versions.Count == 0 ? ": in no version" : "")}");
        foreach (var version in path.Versions)
            text.WriteLine(
                $"{version.Version, 5}  {ListText.Time(version.VersionTime)}  {ListText.Size(version.Type, version.Size), 15}  {ListText.Time(version.Time)}"
            );
    }
}
