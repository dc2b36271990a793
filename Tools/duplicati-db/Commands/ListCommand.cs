using System.CommandLine;
using System.Globalization;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>list REMOTE</c> or <c>list --dbpath FILE</c></summary>
internal static class ListCommand
{
    internal static Command Create(ToolConsole console)
    {
        var remote = new Argument<string?>("REMOTE") { Description = "The remote folder to list without a database.", Arity = ArgumentArity.ZeroOrOne };
        var database = new Option<FileInfo?>("--dbpath") { Description = "The database to list from." };
        var version = new Option<int?>("--version") { Description = "List the entries of this version, 0 = newest; without it the versions." };
        var command = new Command("list", "List versions, or the entries of one, from the remote folder or from a database.");
        command.Arguments.Add(remote);
        foreach (var option in new Option[] { database, version, CommonOptions.PassphraseEnvironment, CommonOptions.PassphraseFile, CommonOptions.NoEncryption, CommonOptions.Prefix, CommonOptions.Preset })
            command.Options.Add(option);
        command.WithOutput().SetAction((parsed, token) => console.RunAsync(
            parsed,
            async (_, stop) =>
            {
                var source = Source(parsed, parsed.GetValue(remote), parsed.GetValue(database));
                if (parsed.GetValue(version) is { } number)
                {
                    var entries = await source.EntriesAsync(number, stop).ConfigureAwait(false);
                    console.Write(parsed, entries, text => Describe(entries, text));
                }
                else
                {
                    var versions = await source.VersionsAsync(stop).ConfigureAwait(false);
                    console.Write(parsed, versions, text => Describe(versions, text));
                }

                return ExitCode.Ok;
            },
            token));
        return command;
    }

    private static IVersionListing Source(ParseResult parsed, string? remote, FileInfo? database)
    {
        if ((remote is null) == (database is null))
            throw new UserInformationException("Give either a remote folder or --dbpath FILE.", "InvalidListSource");
        return database is not null
            ? new DatabaseListing(database.FullName, parsed.GetValue(CommonOptions.Preset) ?? "default")
            : new RemoteListing(parsed.ToEngineOptions(remote));
    }

    private static void Describe(IReadOnlyList<ListedVersion> versions, TextWriter text)
    {
        foreach (var version in versions)
            text.WriteLine($"{version.Version,5}  {version.Time.ToString("u", CultureInfo.InvariantCulture)}{(version.IsFull == false ? "  (partial)" : "")}");
    }

    private static void Describe(IReadOnlyList<ListedEntry> entries, TextWriter text)
    {
        foreach (var entry in entries)
            text.WriteLine($"{(entry.Size >= 0 ? entry.Size.ToString(CultureInfo.InvariantCulture) : entry.Type),15}  {entry.Time?.ToString("u", CultureInfo.InvariantCulture) ?? "",-20}  {entry.Path}");
    }
}
