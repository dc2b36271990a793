using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>
/// The part of the database side of comparisons that no index leads to: deleted and duplicate blocks by volume, and the sizes of
/// blocklists. Read once and kept for the next volume as long as nothing they depend on has changed, so that testing all volumes
/// stays linear. Holds about 80 bytes for each deleted or duplicate block and each blocklist.
/// </summary>
/// <remarks>Must be called with the session's gate held.</remarks>
internal sealed class VolumeContent : IWriteBuffer
{
    private readonly DatabaseSession m_session;
    private readonly TableChanges[] m_watched;
    private (long Transactions, long Foreign, long Changes) m_copiesSeen = (-1, -1, -1);
    private (long Transactions, long Foreign, long Changes) m_blocklistsSeen = (-1, -1, -1);
    private (int HashesPerBlock, int HashSize, int BlockSize) m_shape;

    private VolumeContent(DatabaseSession session)
    {
        m_session = session;
        var watch = TableWatch.Of(session.Connection);
        m_watched = [watch.Table("Block"), watch.Table("DeletedBlock"), watch.Table("DuplicateBlock"), watch.Table("BlocklistHash"), watch.Table("Blockset")];
    }

    internal static VolumeContent Of(DatabaseSession session) => session.Service(static x => new VolumeContent(x));

    /// <summary>Puts the live, deleted and duplicate blocks of a volume into the table of compared blocks.</summary>
    internal void FillBlocks(string volume)
    {
        m_session.Flush();
        if (m_copiesSeen != Now)
        {
            TempTables.StoredCopy.Reset(m_session);
            m_session.Run(ComparisonSql.StoreDeleted);
            m_session.Run(ComparisonSql.StoreDuplicates);
            m_copiesSeen = Now;
        }

        TempTables.ComparedBlock.Reset(m_session);
        Fill(ComparisonSql.LiveBlocks, volume);
        Fill(ComparisonSql.StoredCopies, volume);
    }

    /// <summary>Puts the blocklists that the volumes linked to an index volume hold into the table of compared blocks.</summary>
    internal void FillBlocklists(string volume, int hashesPerBlock, int hashSize, int blockSize)
    {
        m_session.Flush();
        var shape = (hashesPerBlock, hashSize, blockSize);
        if (m_blocklistsSeen != Now || m_shape != shape)
        {
            TempTables.ExpectedBlocklist.Reset(m_session);
            using var expect = m_session.TakeDirect(ComparisonSql.ExpectBlocklists);
            expect.Bind(1, hashesPerBlock).Bind(2, hashSize).Bind(3, blockSize).Execute();
            (m_blocklistsSeen, m_shape) = (Now, shape);
        }

        TempTables.ComparedBlock.Reset(m_session);
        Fill(ComparisonSql.Blocklists, volume);
    }

    /// <summary>Nothing is ever pending here.</summary>
    public void Flush()
    {
    }

    /// <inheritdoc/>
    public void Discard() => m_copiesSeen = m_blocklistsSeen = (-1, -1, -1);

    private (long Transactions, long Foreign, long Changes) Now => (m_session.TransactionCount, m_session.ForeignAccessCount, m_watched.Sum(x => x.Count));

    private void Fill(string sql, string volume)
    {
        using var fill = m_session.TakeDirect(sql);
        fill.Bind(1, volume).Execute();
    }
}
