// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;

namespace Duplicati.Tool.Cli;

/// <summary>The database of a command line that leaves it out: the only one that Duplicati knows for the remote folder.</summary>
internal static class KnownDatabase
{
    /// <summary>The option of commands whose database can be looked up.</summary>
    internal static readonly Option<FileInfo> Path = new("--dbpath")
    {
        Description =
            "The local database file. May be left out where Duplicati's server or dbconfig.json names exactly one for a REMOTE on this machine.",
    };

    /// <summary>Whether a command line, correct otherwise, lacks the database it needs.</summary>
    internal static bool IsLeftOut(ParseResult parsed) =>
        parsed.Action == parsed.CommandResult.Command.Action
        && parsed.CommandResult.Command.Options.Contains(Path)
        && parsed.GetResult(Path) is null;

    /// <summary>Looks for it. Changes nothing.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="first">Its first word. If it is not the command, words come from a response file, and nothing is looked up.</param>
    /// <returns>The database and which it is, or null and why there is none.</returns>
    internal static async Task<(string? Path, string Text)> FindAsync(ParseResult parsed, string? first)
    {
        const string Required = "Option '--dbpath' is required";
        if (parsed.CommandResult.Command.Name != first || parsed.GetValue<string?>(CommonOptions.Remote.Name) is not { } remote)
            return (null, $"{Required}.");
        var prefix = parsed.GetValue(CommonOptions.Prefix) ?? VolumeName.DEFAULT_PREFIX;
        var known = await new DatabasesOperation(null).OfRemoteAsync(remote, prefix, CancellationToken.None);
        if (known is [var only] && File.Exists(only.Path))
            return (only.Path, $"Database: {Describe(only)}");
        var why = known switch
        {
            [] => $"neither dbconfig.json nor the server names a database of {remote} with the prefix {prefix}",
            [var gone] => $"the one that is named for {remote} is not there: {Describe(gone)}",
            _ => $"several are named for {remote}: {string.Join(", ", known.Select(Describe))}",
        };
        return (null, $"{Required}: {why}. \"duplicati-db databases\" shows what is known.");
    }

    private static string Describe((string Path, IReadOnlyList<DatabaseSource> KnownBy) known) =>
        $"{known.Path} ({string.Join(" and ", known.KnownBy.Select(x => x == DatabaseSource.Server ? "the server" : "dbconfig.json"))})";
}
