using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>The block volume that takes the recovered blocks of a lost one. It is no larger than the lost one was.</summary>
internal sealed class RecoveredVolume(BlockVolumeWriter writer, long volumeId) : IDisposable
{
    private readonly List<KeyValuePair<string, long>> m_blocks = [];

    /// <summary>Hash and size of the blocks in it.</summary>
    internal IReadOnlyList<KeyValuePair<string, long>> Blocks => m_blocks;

    /// <summary>Adds a block if it is still missing; its content must fit its hash.</summary>
    internal async Task AddAsync(LocalRepairDatabase.IMissingBlockList missing, string hash, ReadOnlyMemory<byte> content, bool compressible, CancellationToken token)
    {
        if (!await missing.SetBlockRestoredAsync(hash, content.Length, volumeId, token).ConfigureAwait(false))
            return;

        writer.AddBlock(hash, content.Span, compressible && Compressibility.IsLikely(content.Span));
        m_blocks.Add(KeyValuePair.Create(hash, (long)content.Length));
    }

    public void Dispose() => writer.Dispose();
}
