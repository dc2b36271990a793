// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Scale;

/// <summary>What a database holds, as numbers that differ when something went wrong.</summary>
internal static class BlockContent
{
    /// <summary>Blocks and entries of blocksets by content, so that ids may differ.</summary>
    internal const string Blocks = """
        SELECT SUM((unicode(Hash) * 128 + unicode(substr(Hash, 2))) * 128 + unicode(substr(Hash, 3)) + Size * 7
            + VolumeID % 8191 * 31) + COUNT(*)
        FROM Block
        """;

    /// <summary>Reads BlocksetEntry in the order of its primary key; row ids of Blockset and Block.</summary>
    internal const string Entries = """
        SELECT SUM((e."Index" % 8191 + 1) * (unicode(s.FullHash) * 128 + unicode(substr(s.FullHash, 2)))
            * (unicode(b.Hash) * 128 + unicode(substr(b.Hash, 2))) % 1000000007) + COUNT(*)
        FROM BlocksetEntry e CROSS JOIN Blockset s ON s.ID = e.BlocksetID CROSS JOIN Block b ON b.ID = e.BlockID
        """;

    // An entry of a block that does not exist does not count.
    private const string Rows = """
        SELECT (SELECT COUNT(*) FROM Block) + (SELECT COUNT(*) FROM Blockset) + (SELECT COUNT(*) FROM BlocklistHash)
             + (SELECT COUNT(*) FROM BlocksetEntry e JOIN Block b ON b.ID = e.BlockID) + (SELECT COUNT(*) FROM FilesetEntry)
        """;

    // A number that depends on how many rows are left in each table, and on which blocks are.
    private const string Left = """
        SELECT (SELECT COUNT(*) FROM Fileset) + 3 * (SELECT COUNT(*) FROM FilesetEntry) + 5 * (SELECT COUNT(*) FROM FileLookup)
            + 7 * (SELECT COUNT(*) FROM Metadataset) + 11 * (SELECT COUNT(*) FROM Blockset)
            + 13 * (SELECT COUNT(*) FROM BlocksetEntry)
            + 17 * (SELECT COUNT(*) FROM BlocklistHash) + 19 * (SELECT IFNULL(SUM(ID), 0) FROM Block)
            + 23 * (SELECT COUNT(*) FROM DeletedBlock) + 29 * (SELECT IFNULL(SUM(VolumeID), 0) FROM DeletedBlock)
            + 31 * (SELECT COUNT(*) FROM Remotevolume WHERE State = 'Deleting')
        """;

    /// <summary>Rows of the tables that grow with the blocks; see <see cref="SyntheticBackup.ExpectedRows"/>.</summary>
    internal static long Count(string path) => Read(path, Rows);

    /// <summary>What is left after a deletion.</summary>
    internal static long LeftIn(string path) => Read(path, Left);

    /// <summary>Blocks and entries of a file that nothing has open.</summary>
    internal static long Of(string path) => unchecked((Read(path, Blocks) * 31) + Read(path, Entries));

    private static long Read(string path, string sql)
    {
        using var connection = SQLiteLoader.LoadConnection(path);
        using var statements = new StatementCache(connection);
        using var query = statements.Take(sql);
        return query.ExecuteInt64(0);
    }
}
