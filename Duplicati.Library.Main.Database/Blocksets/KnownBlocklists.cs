#nullable enable

using System;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocksets;

/// <summary>
/// Tells whether a blocklist has been stored by an earlier fileset or has been asked about before. The table has no index on the
/// hash, so its rows are read once into fingerprints (6.8 to 7.7 bytes each); what these find is verified. 21 to 25 bytes a blocklist asked about.
/// </summary>
/// <remarks>Rows added later belong to the current fileset and need not be known. Use with the session's gate held.</remarks>
internal sealed class KnownBlocklists(DatabaseSession session)
{
    // A hash taken for another one, with a chance of about 10^-18, would be left out of an index volume.
    private readonly KeyHasher m_hasher = new();
    private readonly KeyMap m_asked = new();
    private FingerprintTable? m_rows;

    /// <summary>True if another fileset uses a blockset with this blocklist, or if it has been asked before.</summary>
    internal bool IsKnown(string hash, long currentFilesetId)
    {
        var key = m_hasher.OfText(hash, 0);
        if (m_asked.Contains(key))
            return true;

        var first = FirstFileset(hash);
        if (first >= 0 && first != currentFilesetId)
            return true;

        m_asked.Set(key, 0);
        return false;
    }

    private long FirstFileset(string hash)
    {
        Span<byte> text = stackalloc byte[BlockKey.MaxTextLength];
        return BlockKey.TryParse(hash, 0, text, out var length, out var key) ? FirstFileset(key, text[..length]) : FirstFilesetOfText(hash);
    }

    private long FirstFileset(in BlockKey key, ReadOnlySpan<byte> text)
    {
        m_rows ??= ReadRows();
        long first = -1;
        var position = -1;
        while (m_rows.TryNext(key.Hash, ref position, out var row))
        {
            var fileset = FirstFileset(row, text);
            if (fileset >= 0 && (first < 0 || fileset < first))
                first = fileset;
        }

        return first;
    }

    private long FirstFileset(long row, ReadOnlySpan<byte> hash)
    {
        using var blockset = session.TakeDirect(BlocksetSql.BlocksetOfBlocklist);
        var id = blockset.Bind(1, row).BindUtf8(2, hash).ExecuteInt64();
        if (id < 0)
            return -1;

        using var fileset = session.Take(BlocksetSql.FirstFileset);
        return fileset.Bind(1, id).ExecuteInt64();
    }

    private long FirstFilesetOfText(string hash)
    {
        using var fileset = session.Take(BlocksetSql.FirstFilesetOfHash);
        return fileset.Bind(1, hash).ExecuteInt64();
    }

    private FingerprintTable ReadRows()
    {
        var rows = new FingerprintTable();
        using var all = session.TakeDirect(BlocksetSql.AllBlocklists);
        while (all.Step())
        {
            if (BlockKey.TryParse(all.GetUtf8(1), 0, out var key))
                rows.Add(key.Hash, all.GetInt64(0));
        }

        return rows;
    }
}
