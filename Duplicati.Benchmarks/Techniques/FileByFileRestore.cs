using Duplicati.Engine.Restore;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Operation.Restore;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>A restore as the members of the replaced layer suggest it: the blocks of one file, of its metadata, then the next; the volumes used last stay open.</summary>
internal sealed class FileByFileRestore(LocalRestoreDatabase database, VolumeDownloader downloader, RestorePlan plan, MetadataSpool spool)
{
    private const int OpenVolumes = 4;

    private readonly LinkedList<(long Id, VolumeDownloader.Download Download, BlockVolumeReader Reader)> m_open = new();
    private readonly byte[] m_buffer = new byte[EngineBackup.Format.Blocksize];

    /// <summary>Writes all blocks of all files.</summary>
    public async Task RunAsync()
    {
        foreach (var file in plan.Files.Values)
        {
            using var handle = File.OpenHandle(plan.Paths[file.ID], FileMode.Open, FileAccess.Write);
            await foreach (var block in database.GetBlocksFromFileAsync(file.BlocksetID, default))
                RandomAccess.Write(handle, (await ReadAsync(block)).Span, block.BlockOffset * EngineBackup.Format.Blocksize);
            await foreach (var block in database.GetMetadataBlocksFromFileAsync(file.ID, default))
                spool.Note(file.ID, block.BlockOffset, spool.Store((await ReadAsync(block)).Span));
        }

        while (m_open.Count > 0)
            CloseOldest();
    }

    private async Task<ReadOnlyMemory<byte>> ReadAsync(BlockRequest block)
    {
        var reader = await OpenAsync(block.VolumeID);
        var length = reader.ReadVerifiedBlock(block.BlockHash, EngineBackup.Format.BlockHash, m_buffer);
        return length == block.BlockSize ? m_buffer.AsMemory(0, length) : throw new InvalidOperationException($"Block {block.BlockHash} has {length} bytes.");
    }

    private async Task<BlockVolumeReader> OpenAsync(long id)
    {
        for (var node = m_open.First; node is not null; node = node.Next)
        {
            if (node.Value.Id != id)
                continue;
            m_open.Remove(node);
            m_open.AddFirst(node);
            return node.Value.Reader;
        }

        if (m_open.Count == OpenVolumes)
            CloseOldest();
        var (name, size, hash) = await database.GetVolumeInfoAsync(id, default).SingleAsync();
        var download = await downloader.FetchAsync(name, EngineBackup.Format.FileHash, hash, size, default);
        var reader = BlockVolumeReader.Open(download.Content, name);
        m_open.AddFirst((id, download, reader));
        return reader;
    }

    private void CloseOldest()
    {
        using (m_open.Last!.Value.Download)
            m_open.Last.Value.Reader.Dispose();
        m_open.RemoveLast();
    }
}
