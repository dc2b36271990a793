// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>Finds files by path, whatever their version, and their sizes.</summary>
internal static class FileSizes
{
    // {0} stands for the digits of the name of a table of paths.

    // The first paths of the table, up to a limit.
    private const string FirstPaths = """SELECT "Path" FROM temp."Filenames-{0}" LIMIT ?1""";

    // FileLookupPath; the table's primary key; every path of the database is tested once, those found are sorted.
    private const string Matching = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath", "FileLookup"."ID", "Blockset"."Length"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE EXISTS (SELECT 1 FROM temp."Filenames-{0}" AS "Wanted" WHERE "Wanted"."Path" = "PathPrefix"."Prefix" || "FileLookup"."Path")
        ORDER BY "FullPath"
        """;

    // PathPrefixPrefix, FileLookupPath.
    private const string Exact = """
        SELECT ?1 || ?2, "FileLookup"."ID", "Blockset"."Length"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" = ?2
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "PathPrefix"."Prefix" = ?1
        """;

    // PathPrefixPrefix as a range, FileLookupPath; what is below a folder by its prefix.
    private const string BelowSql = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."ID", "Blockset"."Length"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "PathPrefix"."Prefix" >= ?1 AND "PathPrefix"."Prefix" < ?2
        """;

    // PathPrefixPrefix, FileLookupPath as a range; what is below a folder although its prefix is shorter.
    private const string BelowByName = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."ID", "Blockset"."Length"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" >= ?2 AND "FileLookup"."Path" < ?3
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "PathPrefix"."Prefix" = ?1
        """;

    private const int FEW = 256;

    /// <summary>
    /// The files whose paths are in a table (see <see cref="FilenameTables.Filenames"/>), ascending by path. A few paths are looked up; for
    /// more, every path is tested once.
    /// </summary>
    internal static List<SizedFile> InTable(DatabaseSession session, string tablename)
    {
        var digits = tablename[(FilenameTables.Filenames.Prefix.Length + 1)..];
        List<string> paths;
        using (var first = session.Statements.Prepare(TempTableTemplate.Text(FirstPaths, digits)))
            paths = first.Bind(1, FEW + 1).ReadAll(static row => row.GetString(0) ?? "");

        var result = new List<SizedFile>();
        if (paths.Count <= FEW)
        {
            AddExact(session, paths, result);
            return result;
        }

        using var select = session.Statements.Prepare(TempTableTemplate.Text(Matching, digits));
        Add(select, result);
        return result;
    }

    /// <summary>The files below a folder at any depth, ascending by path. Linear in their number.</summary>
    /// <param name="session">The session.</param>
    /// <param name="folder">The folder with its separator, compared byte by byte.</param>
    internal static List<SizedFile> Below(DatabaseSession session, string folder)
    {
        var result = new List<SizedFile>();
        using (var select = session.Take(BelowSql))
            Add(select.Bind(1, folder).Bind(2, End(folder)), result);
        using (var select = session.Take(BelowByName))
        {
            foreach (var (prefix, name) in StoredPath.Cuts(folder).Where(x => x.Name.Length > 0))
                Add(select.Bind(1, prefix).Bind(2, name).Bind(3, End(name)), result);
        }

        result.RemoveAll(x => x.Path.Length == folder.Length);
        result.Sort((x, y) => BinaryOrder.Instance.Compare(x.Path, y.Path));
        return result;
    }

    private static void AddExact(DatabaseSession session, List<string> paths, List<SizedFile> result)
    {
        using var select = session.Take(Exact);
        foreach (var (prefix, name) in paths.SelectMany(StoredPath.Cuts))
            Add(select.Bind(1, prefix).Bind(2, name), result);
    }

    private static void Add(Statement select, List<SizedFile> result)
    {
        while (select.Read())
            result.Add(new SizedFile(select.GetString(0) ?? "", select.GetInt64(1), select.GetInt64(2, -1)));
    }

    // The first text after all that begin with a folder: its separator, '/' or '\', replaced by the next character.
    private static string End(string folder) => folder[..^1] + (char)(folder[^1] + 1);
}

/// <summary>A row of FileLookup for a list of sizes.</summary>
/// <param name="Path">Full path.</param>
/// <param name="FileId">Row id.</param>
/// <param name="Length">Bytes; -1 without content.</param>
internal readonly record struct SizedFile(string Path, long FileId, long Length);
