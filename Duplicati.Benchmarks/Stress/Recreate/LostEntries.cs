// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>An entry of a version.</summary>
/// <param name="Timestamp">Time of the version, seconds since 1970.</param>
/// <param name="Path">Full path.</param>
internal readonly record struct VersionEntry(long Timestamp, string Path);

/// <summary>What volumes hold, read from a database that is whole, and what is lost without some of them. Memory: all ids.</summary>
internal sealed class LostEntries
{
    private readonly Dictionary<long, (string Hash, long Size)> m_blocks = [];
    private readonly Dictionary<long, HashSet<string>> m_places = [];
    private readonly Dictionary<(string Hash, long Size), HashSet<string>> m_unused = [];
    private readonly ILookup<long, long> m_contents;
    private readonly ILookup<long, string> m_lists;
    private readonly List<(VersionEntry Entry, long Content, long Metadata)> m_entries;

    /// <param name="database">The database, which nobody uses.</param>
    public LostEntries(string database)
    {
        using var connection = new SqliteConnection(
            new SqliteConnectionStringBuilder
            {
                DataSource = database,
                Mode = SqliteOpenMode.ReadWrite,
                Pooling = false,
            }.ToString()
        );
        connection.Open();
        foreach (
            var (id, hash, size, volume) in Rows(StressSql.BLOCKS, x => (x.GetInt64(0), x.GetString(1), x.GetInt64(2), x.GetString(3)))
        )
        {
            m_blocks[id] = (hash, size);
            m_places[id] = [volume];
        }

        foreach (var (id, volume) in Rows(StressSql.DUPLICATES, x => (x.GetInt64(0), x.GetString(1))))
            m_places[id].Add(volume);
        foreach (var (block, volume) in Rows(StressSql.DELETED, x => ((x.GetString(0), x.GetInt64(1)), x.GetString(2))))
            (m_unused.TryGetValue(block, out var places) ? places : m_unused[block] = []).Add(volume);
        m_contents = Rows(StressSql.CONTENTS, x => (Set: x.GetInt64(0), Block: x.GetInt64(1))).ToLookup(x => x.Set, x => x.Block);
        m_lists = Rows(StressSql.LISTS, x => (Set: x.GetInt64(0), Hash: x.GetString(1))).ToLookup(x => x.Set, x => x.Hash);
        m_entries = [.. Rows(StressSql.ENTRIES, x => (new VersionEntry(x.GetInt64(0), x.GetString(1)), x.GetInt64(2), x.GetInt64(3)))];

        IEnumerable<T> Rows<T>(string sql, Func<SqliteDataReader, T> read) => DumpQuery.Rows(connection, sql, read);
    }

    /// <summary>The entries whose data, metadata or lists of blocks are in these volumes alone.</summary>
    /// <param name="volumes">Names of the volumes.</param>
    /// <param name="countsUnused">Whether a copy of a block that nothing uses saves it: a database made anew may take it.</param>
    public HashSet<VersionEntry> Without(IReadOnlySet<string> volumes, bool countsUnused)
    {
        var lost = m_places
            .Where(x => x.Value.IsSubsetOf(volumes))
            .Select(x => x.Key)
            .Where(id => !countsUnused || !m_unused.TryGetValue(m_blocks[id], out var copies) || copies.IsSubsetOf(volumes))
            .ToHashSet();
        var there = m_blocks.Where(x => !lost.Contains(x.Key)).Select(x => x.Value.Hash).ToHashSet(StringComparer.Ordinal);
        var sets = m_contents.Where(set => set.Any(lost.Contains)).Select(set => set.Key).ToHashSet();
        sets.UnionWith(m_lists.Where(set => set.Any(hash => !there.Contains(hash))).Select(set => set.Key));
        return Entries(sets);
    }

    /// <summary>
    /// The entries that have anything in these volumes, whether there is another copy or not: those that a restore may miss.
    /// </summary>
    public HashSet<VersionEntry> In(IReadOnlySet<string> volumes)
    {
        var blocks = m_places.Where(x => x.Value.Overlaps(volumes)).Select(x => x.Key).ToHashSet();
        blocks.UnionWith(m_blocks.Where(x => m_unused.TryGetValue(x.Value, out var copies) && copies.Overlaps(volumes)).Select(x => x.Key));
        var hashes = blocks.Select(id => m_blocks[id].Hash).ToHashSet(StringComparer.Ordinal);
        var sets = m_contents.Where(set => set.Any(blocks.Contains)).Select(set => set.Key).ToHashSet();
        sets.UnionWith(m_lists.Where(set => set.Any(hashes.Contains)).Select(set => set.Key));
        return Entries(sets);
    }

    private HashSet<VersionEntry> Entries(HashSet<long> sets) =>
        [.. m_entries.Where(x => sets.Contains(x.Content) || sets.Contains(x.Metadata)).Select(x => x.Entry)];
}

/// <summary>
/// Statements on the databases of a cycle. They are small and read as a whole: each is a scan, with look-ups by primary keys.
/// </summary>
internal static class StressSql
{
    /// <summary>Blocks with their volumes.</summary>
    public const string BLOCKS = """
        SELECT "Block"."ID", "Block"."Hash", "Block"."Size", "Remotevolume"."Name" FROM "Block" JOIN "Remotevolume" ON "Remotevolume"."ID" = "Block"."VolumeID"
        """;

    /// <summary>Other copies of blocks.</summary>
    public const string DUPLICATES = """
        SELECT "DuplicateBlock"."BlockID", "Remotevolume"."Name" FROM "DuplicateBlock" JOIN "Remotevolume" ON "Remotevolume"."ID" = "DuplicateBlock"."VolumeID"
        """;

    /// <summary>Blocks that are in volumes and that nothing uses.</summary>
    public const string DELETED = """
        SELECT "DeletedBlock"."Hash", "DeletedBlock"."Size", "Remotevolume"."Name" FROM "DeletedBlock" JOIN "Remotevolume" ON "Remotevolume"."ID" = "DeletedBlock"."VolumeID"
        """;

    /// <summary>The blocks of contents.</summary>
    public const string CONTENTS = """SELECT "BlocksetID", "BlockID" FROM "BlocksetEntry" """;

    /// <summary>The lists of blocks of contents.</summary>
    public const string LISTS = """SELECT "BlocksetID", "Hash" FROM "BlocklistHash" """;

    /// <summary>The entries of all versions with their contents and metadata.</summary>
    public const string ENTRIES = """
        SELECT "Fileset"."Timestamp", "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Metadataset"."BlocksetID"
        FROM "FilesetEntry"
        JOIN "Fileset" ON "Fileset"."ID" = "FilesetEntry"."FilesetID"
        JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        """;

    /// <summary>Falsifies a database: its newest entry is no longer in its version.</summary>
    public const string FALSIFY = """DELETE FROM "FilesetEntry" WHERE "FileID" = (SELECT MAX("FileID") FROM "FilesetEntry")""";
}
