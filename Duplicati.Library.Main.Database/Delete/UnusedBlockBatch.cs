#nullable enable

using System;
using System.Buffers;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Blocks that go, in the order of their hashes, and the change of their rows. They are held back because each change costs more while
/// a statement that reads from the same tables is open.
/// </summary>
/// <remarks>
/// 32 bytes a block and its hash, 76 for one of SHA-256. One row a statement: so each page of the indexes by hash, the largest
/// there are, is changed and written once. A statement for all of them would do the same only on engines that delete while they
/// search: newer ones collect row ids first and go through them in their order.
/// </remarks>
/// <param name="mostBlocks">Blocks from which on it is full.</param>
internal sealed class UnusedBlockBatch(int mostBlocks)
{
    /// <summary>As many as fit into 10 MB.</summary>
    internal const int MostBlocks = 131_072;

    private readonly ArrayBufferWriter<byte> m_hashes = new();
    private readonly List<(long Id, long Size, long Volume, int HashLength)> m_blocks = [];

    /// <summary>True when it should be emptied before more is added.</summary>
    internal bool IsFull => m_blocks.Count >= mostBlocks;

    internal void Add(long id, ReadOnlySpan<byte> hash, long size, long volume)
    {
        m_hashes.Write(hash);
        m_blocks.Add((id, size, volume, hash.Length));
    }

    /// <summary>Moves the blocks to the deleted ones and forgets them.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">One of them is recorded as deleted in the same volume already (code 19).</exception>
    internal void Move(DatabaseSession session)
    {
        if (m_blocks.Count == 0)
            return;

        // It would be wrong afterwards, and its memory is wanted for pages.
        session.ServiceInUse<BlockMap>()?.Invalidate();
        Remember(session);
        using var delete = session.Take(DeleteSql.DeleteBlock);
        foreach (var block in m_blocks)
            delete.Bind(1, block.Id).Execute();

        m_blocks.Clear();
        m_hashes.ResetWrittenCount();
    }

    private void Remember(DatabaseSession session)
    {
        using var insert = session.Take(DeleteSql.RememberDeletedBlock);
        var hashes = m_hashes.WrittenSpan;
        foreach (var block in m_blocks)
        {
            insert.BindUtf8(1, hashes[..block.HashLength]).Bind(2, block.Size).Bind(3, block.Volume).Execute();
            hashes = hashes[block.HashLength..];
        }
    }
}
