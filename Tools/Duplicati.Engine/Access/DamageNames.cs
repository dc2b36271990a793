// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text.RegularExpressions;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>Tells of what a check of pages has found which table it hits, and where that can be had from.</summary>
/// <param name="connection">The database.</param>
/// <param name="path">What it is called.</param>
internal sealed partial class DamageNames(SqliteConnection connection, string path)
{
    /// <summary>Reads the schema, one row a table or index.</summary>
    private const string ROOTS = """SELECT "rootpage", "name", "tbl_name" FROM "sqlite_master" WHERE "rootpage" > 0""";

    private const string Statistics = "sqlite_stat";

    private readonly Dictionary<long, (string Name, string Table)> m_roots = DumpQuery
        .Rows(connection, ROOTS, x => (x.GetInt64(0), (x.GetString(1), x.GetString(2))))
        .DistinctBy(x => x.Item1)
        .ToDictionary(x => x.Item1, x => x.Item2);

    /// <summary>The same, with names.</summary>
    /// <param name="found">What a check of the whole file has found.</param>
    /// <param name="named">What one of each table has found.</param>
    internal List<PageDamage> Of(List<string> found, List<(string Table, string What)> named)
    {
        using var temporary = new TemporaryFolder();
        using var pages = Open(Path.Combine(temporary.Path, "copy.sqlite"));
        var tables = named.ToLookup(x => x.Table, x => x.What, StringComparer.Ordinal);
        // Two tables that name the same page are damaged only as a whole.
        var others = found
            .Select(x => (Owner(pages, x)?.Table, What: x))
            .Where(x => x.Table is null ? tables.Count == 0 : !tables.Contains(x.Table))
            .ToLookup(x => x.Table, x => x.What);
        return
        [
            .. tables.SelectMany(x => Of(pages, x.Key, [.. x])),
            .. others.SelectMany(x => x.Key is { } table ? Of(pages, table, [.. x]) : OfNone([.. x])),
        ];
    }

    private List<PageDamage> OfNone(List<string> found) =>
        Alike(found.Select(x => $"The database {path} is damaged: {x}")).ConvertAll(x => new PageDamage(x, null, SourceOf(x)));

    private List<PageDamage> Of(DamagedDatabase? pages, string table, List<string> found)
    {
        var source = SourceOf(pages, table, found);
        var (rows, unreadable) = pages?.Count(table) ?? default;
        return Alike(found.Select(x => $"The database {path} is damaged in table {table}: {x}"))
            .ConvertAll(x => new PageDamage(x, table, source) { Rows = rows, Unreadable = unreadable });
    }

    // An index is made anew if its own pages are damaged. If it only says something else than its table, either may be wrong.
    private DamageSource SourceOf(DamagedDatabase? pages, string table, List<string> found)
    {
        if (table.StartsWith(Statistics, StringComparison.Ordinal))
            return DamageSource.Rows;
        var owners = found.ConvertAll(x => Owner(pages, x)?.Name);
        var damaged = owners.OfType<string>().ToHashSet(StringComparer.Ordinal);
        var isOfIndexes = found
            .Zip(owners)
            .All(x =>
                x.Second is { } owner
                    ? owner != table
                    : IndexIn().Match(x.First) is { Success: true } index && damaged.Contains(index.Groups[1].Value)
            );
        return isOfIndexes ? DamageSource.Rows
            : OwnTables.IsOnlyHere(table) ? DamageSource.Here
            : DamageSource.Remote;
    }

    // Of the list of free pages, and pages that nobody names.
    private static DamageSource SourceOf(string found) =>
        found.Contains("Freelist", StringComparison.OrdinalIgnoreCase) || found.Contains("never used", StringComparison.Ordinal)
            ? DamageSource.Rows
            : DamageSource.Remote;

    private (string Name, string Table)? Owner(DamagedDatabase? pages, string found)
    {
        if (TreeIn().Match(found) is { Success: true } tree && m_roots.TryGetValue(Number(tree), out var root))
            return root;
        return FragmentsIn().Match(found) is { Success: true } page ? pages?.OwnerOf(Number(page)) : null;
    }

    private static long Number(Match match) => long.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture);

    // Of one moment, with what is still in the log, and read without a second descriptor on the database.
    private DamagedDatabase? Open(string copy)
    {
        try
        {
            connection.CopyTo(copy);
            return DamagedDatabase.TryOpen(copy, OwnTables.Names);
        }
        catch (Exception ex) when (ex is SqliteException or IOException)
        {
            // Without space for a copy less can be told.
            return null;
        }
    }

    // An index that lacks a thousand rows is damaged in one way.
    private static List<string> Alike(IEnumerable<string> found) =>
        [
            .. found
                .GroupBy(x => Digits().Replace(x, "#"), StringComparer.Ordinal)
                .Select(x => x.Count() == 1 ? x.First() : $"{x.First()}, and {x.Count() - 1} more of the same kind at least"),
        ];

    [GeneratedRegex("^Tree ([0-9]+) ")]
    private static partial Regex TreeIn();

    [GeneratedRegex("^Fragmentation of .* on page ([0-9]+)$")]
    private static partial Regex FragmentsIn();

    [GeneratedRegex(" index (.+)$")]
    private static partial Regex IndexIn();

    [GeneratedRegex("[0-9]+")]
    private static partial Regex Digits();
}

/// <summary>Something that is damaged in a database file.</summary>
/// <param name="What">What, with the file and, where it can be told, the table.</param>
/// <param name="Table">The table; null if it cannot be told, or it is none.</param>
/// <param name="Source">Where what is damaged can be had from.</param>
internal sealed record PageDamage(string What, string? Table, DamageSource Source)
{
    /// <summary>Number of rows that can be read, where the table has what only the database has.</summary>
    internal long Rows { get; init; }

    /// <summary>Number of its pages that cannot be read, or only in part, and of rows on others.</summary>
    internal long Unreadable { get; init; }
}

/// <summary>Where what is damaged can be had from.</summary>
internal enum DamageSource
{
    /// <summary>From the rows of the file: an index, statistics, pages without rows, or values that cannot be.</summary>
    Rows,

    /// <summary>From nowhere else: what can be read is all there is.</summary>
    Here,

    /// <summary>From the remote folder.</summary>
    Remote,
}

/// <summary>The tables of which a database alone has something; all else can be made of the remote folder.</summary>
internal static class OwnTables
{
    private static readonly Dictionary<string, (string What, bool IsWhole)> s_tables = new(StringComparer.OrdinalIgnoreCase)
    {
        ["Operation"] = ("when which operations ran", true),
        ["LogData"] = ("results and messages of operations", true),
        ["RemoteOperation"] = ("which volumes were fetched, put and deleted when", true),
        ["ChangeJournalData"] = ("positions in change journals", true),
        ["RestoreTestHistory"] = ("which files restore tests have tried", true),
        ["Remotevolume"] = ("how often volumes were tested, how long they are locked or archived, and which operation made them", false),
        ["Fileset"] = ("labels of versions, and which operation made them", false),
        ["Configuration"] = ("settings that are not in volumes", false),
    };

    /// <summary>Their names.</summary>
    internal static IReadOnlySet<string> Names { get; } = s_tables.Keys.ToHashSet(StringComparer.OrdinalIgnoreCase);

    /// <summary>What of a table only the database has; null if nothing.</summary>
    internal static string? WhatIsIn(string table) => s_tables.TryGetValue(table, out var found) ? found.What : null;

    /// <summary>Whether nothing of a table is in the remote folder, so that this can add nothing to what can be read of it.</summary>
    internal static bool IsOnlyHere(string table) => s_tables.TryGetValue(table, out var found) && found.IsWhole;
}
