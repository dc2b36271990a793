// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>databases [FOLDER]</c></summary>
internal static class DatabasesCommand
{
    private const string Description = """
        Find the local databases as Duplicati does: those that the server and the command line name, and those that lie in the data folder.
        Tells which backup and which remote folder each belongs to, its size, schema, last version and state. Changes nothing; what the server
        keeps encrypted stays unread, and users, passwords and options of addresses are not shown.

        Commands on a REMOTE of this machine that lack --dbpath take the one that the server or the command line name for it, if that is
        there and the only one; they say which.

        Without FOLDER it is DUPLICATI_HOME, or the folder Duplicati among this user's settings.

        Exit codes: 0 done, 1 done and something cannot be read or is not there, 10 there is no such folder.

        Examples:
          duplicati-db databases
          duplicati-db databases /root/.config/Duplicati --json
        """;

    private static readonly Argument<DirectoryInfo?> s_folder = new("FOLDER")
    {
        Description = "Duplicati's data folder.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    internal static Command Create() =>
        new Command("databases", Description)
            .With(s_folder)
            .WithOutput()
            .Runs(
                async (console, parsed, _, stop) =>
                {
                    var report = await new DatabasesOperation(parsed.GetValue(s_folder)?.FullName).RunAsync(stop);
                    console.Write(parsed, report, text => Describe(report, text));
                    return report.Problems.Count > 0 || report.Databases.Any(x => x.Problem is not null) ? ExitCode.Found : ExitCode.Ok;
                }
            );

    private static void Describe(DatabasesReport report, TextWriter text)
    {
        foreach (var problem in report.Problems)
            text.WriteLine(SafeText.Line(problem));
        foreach (var database in report.Databases)
        {
            text.WriteLine(SafeText.Of(database.Path));
            text.WriteLine(
                $"  {Kind(database)}, {SizeText.Of(database.Size)}, named by {string.Join(" and ", database.KnownBy.Select(Source))}"
            );
            if (database.Name is { } name)
                text.WriteLine($"  name:    {SafeText.Of(name)}");
            if (database.Remote is { } remote)
                text.WriteLine($"  remote:  {SafeText.Of(remote)}");
            if (database.Versions is { } versions)
                text.WriteLine(
                    $"  holds:   {SizeText.Count(versions, "version")}{(versions > 0 ? $", the last of {ListText.Time(database.LastVersion)}" : "")}"
                );
            if (database.State.Count > 0)
                text.WriteLine($"  state:   {string.Join(", ", database.State)}");
            if (database.Problem is { } what)
                text.WriteLine($"  problem: {SafeText.Line(what)}");
        }

        text.WriteLine($"{SizeText.Count(report.Databases.Count, "database")} in or named in {SafeText.Of(report.Folder)}.");
    }

    private static string Kind(FoundDatabase database) =>
        database.Kind switch
        {
            DatabaseKind.Backup => "A backup's database",
            DatabaseKind.Server => "The server's database",
            DatabaseKind.Sync => "A database of a synchronization",
            _ => "Unknown",
        } + (database.Schema is { } schema ? $" of schema {schema}" : "");

    private static string Source(DatabaseSource source) =>
        source switch
        {
            DatabaseSource.Server => "the server",
            DatabaseSource.CommandLine => "the command line",
            _ => "the folder",
        };
}
