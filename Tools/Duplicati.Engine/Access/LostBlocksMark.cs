// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>
/// The mark of a database of which it is known that versions need blocks that are nowhere: a recreate has read all volumes there are, a
/// repair has looked for them, or a purge of the files that need them was interrupted. A recreate would come to the same. That of a repair
/// names the volumes that it looked for, and folders of sources that were not there: as soon as one is, they have not been looked for
/// everywhere.
/// </summary>
internal static class LostBlocksMark
{
    /// <summary>One row by the primary key's index.</summary>
    private const string MARK = """INSERT OR REPLACE INTO "Configuration" ("Key", "Value") VALUES ($lost, $value)""";

    /// <summary>One row by the primary key's index.</summary>
    private const string UNMARK = """DELETE FROM "Configuration" WHERE "Key" = $lost""";

    private const string All = "true";
    private const string Source = "source:";
    private const int MostNamed = 3;

    /// <summary>In the configuration.</summary>
    internal const string KEY = "lost-blocks";

    /// <summary>Whether a database has the mark.</summary>
    internal static bool IsSet(SqliteConnection connection) => Read(connection) is not null;

    /// <summary>Whether a database has the mark, and all sources were there when they were looked for.</summary>
    internal static bool IsForGood(SqliteConnection connection) => Read(connection) is { } names && !AbsentOf(names).Any();

    /// <summary>What helps, if the blocks of missing volumes were looked for in vain, of each of them; else null.</summary>
    internal static LostBlocksRemedy? RemedyOf(SqliteConnection connection, IEnumerable<string> volumes) =>
        Read(connection) is { } names && AreLost(names) && (names.Contains(All) || volumes.All(names.Contains)) ? Remedy(names) : null;

    /// <summary>Whether a database has the mark, and no folder has come back since that was not there when they were looked for.</summary>
    internal static bool AreLost(SqliteConnection connection) => Read(connection) is { } names && AreLost(names);

    /// <summary>
    /// The uppermost folder above a source that is not there, or is empty, as the mount point of a disk is; null if its own folder holds
    /// anything. A file that was deleted leaves its folder, mostly with others in it.
    /// </summary>
    internal static string? AbsentFolder(string path)
    {
        string? found = null;
        for (
            var folder = Path.GetDirectoryName(Path.TrimEndingDirectorySeparator(path));
            !string.IsNullOrEmpty(folder) && IsGone(folder);
            folder = Path.GetDirectoryName(folder)
        )
            found = folder;
        return found;
    }

    /// <summary>Some of them, for a message that has quotation marks around them.</summary>
    internal static string Named(IEnumerable<string> folders) => string.Join("', '", folders.Take(MostNamed));

    /// <summary>What helps where they are lost.</summary>
    internal static string Remedy(SqliteConnection connection) => Remedy(Read(connection) ?? []).Text;

    /// <summary>
    /// What is wrong with a database of which a recreate has not come to its end, or found that blocks are missing, and what to do.
    /// </summary>
    internal static string ProblemOfRecreate(LocalDatabase database) =>
        IsSet(database.Connection)
            ? $"Versions need blocks that are in no volume. {Remedy(database.Connection)}"
            : $"The database was not recreated to its end. {Advice.RecreateDatabase()}";

    /// <summary>Sets the mark, for whatever is missing, or takes it away. Does not commit.</summary>
    internal static void Set(LocalDatabase database, bool isSet) => Set(database, isSet ? [All] : [], []);

    /// <summary>Sets the mark for volumes, or takes it away if there are none. Does not commit.</summary>
    /// <param name="database">The database.</param>
    /// <param name="volumes">Those whose blocks were looked for in vain.</param>
    /// <param name="absent">Folders of sources that were not there.</param>
    internal static void Set(LocalDatabase database, IReadOnlyCollection<string> volumes, IEnumerable<string> absent)
    {
        var lines = volumes.Concat(absent.Select(x => Source + Uri.EscapeDataString(x)));
        if (volumes.Count > 0)
            DumpQuery.Execute(database.Connection, MARK, ("$lost", KEY), ("$value", string.Join('\n', lines)));
        else
            DumpQuery.Execute(database.Connection, UNMARK, ("$lost", KEY));
    }

    // One that cannot be looked into is there.
    private static bool IsGone(string folder) =>
        Attempt.Read(() => !Directory.Exists(folder) || !Directory.EnumerateFileSystemEntries(folder).Any(), false);

    private static bool AreLost(string[] names) => AbsentOf(names).All(IsGone);

    private static LostBlocksRemedy Remedy(string[] names) =>
        new(Named(AbsentOf(names)) is { Length: > 0 } folders ? Advice.UnseenSource(folders) + " " : "");

    private static IEnumerable<string> AbsentOf(string[] names) =>
        names.Where(x => x.StartsWith(Source, StringComparison.Ordinal)).Select(x => Uri.UnescapeDataString(x[Source.Length..]));

    private static string[]? Read(SqliteConnection connection) =>
        DumpQuery.Rows(connection, UnfinishedRecreate.READ, x => x.GetString(0), ("$key", KEY)).FirstOrDefault()?.Split('\n');
}

/// <summary>What helps where blocks were looked for in vain.</summary>
/// <param name="Before">What is to be done before anything else, with a space at its end; empty if nothing is.</param>
internal sealed record LostBlocksRemedy(string Before)
{
    /// <summary>If there is nothing in which they were not looked for.</summary>
    internal string Text => Before + Advice.LostBlocks();

    /// <summary>If there are volumes that the database does not know.</summary>
    internal string OfRecreate => Before + Advice.RecreateDatabase();
}
