using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Dump;

/// <summary>Joins blocksets with their blocks and blocklists: three statements in the same order, read side by side.</summary>
internal static class BlocksetMerge
{
    /// <summary>Streams the blocksets. Linear in the rows of the three tables.</summary>
    /// <param name="connection">An open database.</param>
    /// <returns>The blocksets in the order of their ids.</returns>
    public static IEnumerable<DumpBlockset> Read(SqliteConnection connection)
    {
        using var entries = DumpQuery.Rows(connection, DumpSql.BLOCKSET_ENTRIES, row => (ID: row.GetInt64(0), Index: row.GetInt64(1), Hash: row.TextOrNull(2), Size: row.NumberOrNull(3))).GetEnumerator();
        using var blocklists = DumpQuery.Rows(connection, DumpSql.BLOCKLIST_HASHES, row => (ID: row.GetInt64(0), Hash: row.GetString(1))).GetEnumerator();
        using var digest = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var moreEntries = entries.MoveNext();
        var moreBlocklists = blocklists.MoveNext();
        foreach (var (id, fullHash, length) in DumpQuery.Rows(connection, DumpSql.BLOCKSETS, row => (row.GetInt64(0), row.GetString(1), row.GetInt64(2))))
        {
            var count = 0L;
            var contiguous = true;
            for (; moreEntries && entries.Current.ID <= id; moreEntries = entries.MoveNext())
                if (entries.Current.ID == id)
                {
                    contiguous &= entries.Current.Index == count++;
                    digest.AppendData(Line(entries.Current.Hash, entries.Current.Size));
                }

            var hashes = new List<string>();
            for (; moreBlocklists && blocklists.Current.ID <= id; moreBlocklists = blocklists.MoveNext())
                if (blocklists.Current.ID == id)
                    hashes.Add(blocklists.Current.Hash);
            yield return new DumpBlockset(fullHash, length, count, contiguous, Convert.ToHexStringLower(digest.GetHashAndReset()), hashes);
        }
    }

    private static byte[] Line(string? hash, long? size) =>
        Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{hash ?? DumpNames.Missing}:{size}\n"));
}
