// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Check;

/// <summary>Commands of the tool for one backup, as they are typed.</summary>
/// <param name="options">The backup; without a remote folder or a database they have to be put in.</param>
/// <param name="access">The options that say how volumes are reached, encrypted and named.</param>
internal sealed partial class CommandWords(EngineOptions options, IReadOnlyList<string> access)
{
    private const string RECREATE = "recreate";
    private const string REPAIR = "repair";
    private const string PURGE_BROKEN = "purge-broken-files";
    private const string DELETE = "delete";
    private const string ALL = "all";
    private const string CHECK_VOLUME = "--check-volume";

    // Longer lists are more than anybody types, and reading all volumes does the same.
    private const int MostVolumes = 20;

    // What is of no use without the one before it comes later; anything else last.
    // A check names what is left when something has to be done by hand first.
    private static readonly string[] s_order = ["check", RECREATE, REPAIR, PURGE_BROKEN];

    private static readonly string[] s_merged = [REPAIR, DELETE];

    /// <summary>
    /// First part of the volume names, which a database that is made anew does not know; null to look into the one that is there.
    /// </summary>
    internal string? Prefix { get; set; }

    /// <summary>A command that works on the remote folder and the database.</summary>
    internal string Backup(string command, params string[] more) => Backup([command, .. more]);

    /// <summary>A command that works on the database file, with its options; a path among them is of the same file.</summary>
    internal string Database(params string[] words) =>
        CommandLine.Of([words[0], Path, .. words.SkipWhile(x => !x.StartsWith("--", StringComparison.Ordinal))]);

    /// <summary>
    /// The first command that is to be run of those that texts of the catalogue of advice name between backquotes, completed by what the
    /// user gave. Several repairs are one, with the options of all, and so are deletions.
    /// </summary>
    /// <returns>Null if they name none.</returns>
    internal string? First(IEnumerable<string> texts)
    {
        var advised = texts
            .SelectMany(x => Advised().Matches(x))
            .Select(x => x.Groups[1].Value.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .ToList();
        var first = advised.MinBy(x => Array.IndexOf(s_order, x[0]) is >= 0 and var place ? place : s_order.Length);
        return first?[0] switch
        {
            null => null,
            REPAIR => Backup(Merged(advised.FindAll(x => x[0] == REPAIR))),
            DELETE => Backup([
                DELETE,
                .. advised
                    .Where(x => x[0] == DELETE)
                    .SelectMany(x => x.Skip(1).Chunk(2))
                    .DistinctBy(x => string.Join(' ', x))
                    .SelectMany(x => x),
            ]),
            "upgrade" or "vacuum" => Database(first),
            _ => Backup(first),
        };
    }

    /// <summary>Gives each finding that a repair mends the one that mends all of them, and so those that a deletion does.</summary>
    internal IReadOnlyList<CheckFinding> Merge(IReadOnlyList<CheckFinding> findings) => s_merged.Aggregate(findings, Merge);

    private IReadOnlyList<CheckFinding> Merge(IReadOnlyList<CheckFinding> findings, string command)
    {
        var merged = First(
            findings
                .Select(x => x.Mend)
                .Where(x => Advised().Match(x) is { Success: true } advised && advised.Groups[1].Value.Split(' ')[0] == command)
        );
        return
        [
            .. findings.Select(x =>
                x.Command?.StartsWith(Start(command), StringComparison.Ordinal) == true
                && merged is not null
                && x.Severity == FindingSeverity.Problem
                    ? x with
                    {
                        Command = merged,
                    }
                    : x
            ),
        ];
    }

    // One that begins with a dash would be taken for an option.
    private string Remote =>
        options.Remote.Length == 0 ? "REMOTE"
        : options.Remote[0] == '-' ? "./" + options.Remote
        : options.Remote;

    private string Path => options.DatabasePath.Length > 0 ? options.DatabasePath : "FILE";

    private static string Start(string command) => CommandLine.Of([command]) + " ";

    private static string[] Merged(List<string[]> repairs)
    {
        var flags = repairs
            .SelectMany(x => x.Skip(1))
            .Where(x => x.StartsWith("--", StringComparison.Ordinal) && x != CHECK_VOLUME)
            .Distinct();
        var volumes = repairs
            .SelectMany(x => x.SkipWhile(y => y != CHECK_VOLUME).Skip(1))
            .Where(x => !x.StartsWith("--", StringComparison.Ordinal))
            .Distinct()
            .ToList();
        return
        [
            REPAIR,
            .. flags,
            .. volumes.Count > MostVolumes || volumes.Contains(ALL) ? (string[])[CHECK_VOLUME, ALL]
            : volumes.Count > 0 ? [CHECK_VOLUME, .. volumes]
            : [],
        ];
    }

    private string Backup(string[] words) =>
        CommandLine.Of([words[0], Remote, "--dbpath", Path, .. access, .. PrefixWords(), .. words.Skip(1)]);

    private string[] PrefixWords() =>
        options.Prefix is null
        && (Prefix ?? StoredSettings.PrefixOf(options.DatabasePath)) is { } prefix
        && prefix != VolumeName.DEFAULT_PREFIX
            ? ["--prefix", prefix]
            : [];

    [GeneratedRegex("`duplicati-db ([^`]+)`")]
    private static partial Regex Advised();
}
