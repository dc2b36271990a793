// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Text;
using System.Threading;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Paths;

/// <summary>Fills a temporary table with the distinct paths of all versions that match a filter.</summary>
internal static class FilenameFilter
{
    // {0} stands for the digits of the table's name.

    // Row ids of PathPrefix, FileLookupPath from start to end: every path is wanted or tested.
    private const string InsertAll = """
        INSERT OR IGNORE INTO temp."Filenames-{0}" ("Path")
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        """;

    // PathPrefixPrefix, FileLookupPath.
    private const string InsertExact = """
        INSERT OR IGNORE INTO temp."Filenames-{0}" ("Path")
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" = ?2
        WHERE "PathPrefix"."Prefix" = ?1
        """;

    // Row ids of PathPrefix, FileLookupPath from start to end: every path is tested.
    private const string InsertLike = """
        INSERT OR IGNORE INTO temp."Filenames-{0}" ("Path")
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        WHERE "PathPrefix"."Prefix" || "FileLookup"."Path" LIKE ?1 ESCAPE '\'
        """;

    // The table's primary key.
    private const string Insert = """INSERT OR IGNORE INTO temp."Filenames-{0}" ("Path") VALUES (?1)""";

    // Row ids of PathPrefix, FileLookupPath from start to end: every path is tested.
    private const string Paths = """
        SELECT DISTINCT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        """;

    /// <summary>Fills the table with these digits; see <see cref="FilenameTables.Filenames"/>.</summary>
    /// <remarks>Plain paths cost a few look-ups each; a wildcard, and all regular expressions together, read every path once.</remarks>
    internal static void Fill(DatabaseSession session, string digits, IFilter filter, CancellationToken token)
    {
        if (filter.Empty)
            session.Statements.Execute(TempTableTemplate.Text(InsertAll, digits));
        else if (filter is FilterExpression expression && HasTextRules(expression))
            FillByText(session, digits, expression);
        else
            FillByTest(session, digits, filter, token);
    }

    // Upper and lower case of letters beyond ASCII are only equal to the filter's own comparison, not to SQLite's.
    private static bool HasTextRules(FilterExpression filter) =>
        filter.Type is FilterType.Simple or FilterType.Wildcard
        && (Library.Utility.Utility.IsFSCaseSensitive || Ascii.IsValid(filter.ToString()));

    private static void FillByText(DatabaseSession session, string digits, FilterExpression filter)
    {
        using var exact = session.Statements.Prepare(TempTableTemplate.Text(InsertExact, digits));
        using var like = session.Statements.Prepare(TempTableTemplate.Text(InsertLike, digits));
        foreach (var rule in filter.GetSimpleList())
        {
            if (filter.Type == FilterType.Wildcard && rule.AsSpan().ContainsAny('*', '?'))
            {
                like.Bind(1, ToLikePattern(rule)).ExecuteNonQuery();
                continue;
            }

            // A path is stored in two pieces, cut behind a separator; which one depends on the version that stored it.
            for (var cut = 0; cut <= rule.Length; cut++)
            {
                if (cut == 0 || cut == rule.Length || rule[cut - 1] is '/' or '\\')
                    exact.Bind(1, rule[..cut]).Bind(2, rule[cut..]).ExecuteNonQuery();
            }
        }
    }

    private static void FillByTest(DatabaseSession session, string digits, IFilter filter, CancellationToken token)
    {
        using var select = session.Take(Paths);
        using var insert = session.Statements.Prepare(TempTableTemplate.Text(Insert, digits));
        while (select.Read())
        {
            token.ThrowIfCancellationRequested();
            var path = select.GetString(0) ?? "";
            if (FilterExpression.Matches(filter, path))
                insert.Bind(1, path).ExecuteNonQuery();
        }
    }

    private static string ToLikePattern(string rule) =>
        rule.Replace(@"\", @"\\", StringComparison.Ordinal)
            .Replace("%", @"\%", StringComparison.Ordinal)
            .Replace("_", @"\_", StringComparison.Ordinal)
            .Replace('*', '%')
            .Replace('?', '_');
}

/// <summary>The temporary tables of filters of paths. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class FilenameTables
{
    // Paths that match a filter; ordered by path, so that joins on it need no further index.
    private const string CreateFilenames = """CREATE TEMP TABLE "Filenames-{0}" ("Path" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";

    internal static readonly TempTableTemplate Filenames = new("Filenames", CreateFilenames);
}
