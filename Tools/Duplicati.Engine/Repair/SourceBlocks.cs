// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Finds lost blocks in what they came from: source files as they are now, metadata as it is now, and the blocklists the database knows.
/// </summary>
/// <param name="context">The repair.</param>
/// <param name="missing">What is looked for.</param>
/// <param name="target">Takes what is found.</param>
/// <param name="absent">Gets the folders that are not there, or empty, as when their disk is not mounted.</param>
internal sealed class SourceBlocks(
    RepairContext context,
    LocalRepairDatabase.IMissingBlockList missing,
    RecoveredVolume target,
    HashSet<string> absent
)
{
    // One for a disk, or for a tree that was deleted.
    private const int MostAbsent = 1000;

    private readonly VolumeFormat m_format = context.Settings.Format;
    private readonly byte[] m_buffer = new byte[context.Settings.BlockSize];
    private readonly MetadataReader m_metadata = new();

    /// <summary>Takes every block that is found to the new volume.</summary>
    internal async Task RecoverAsync(CancellationToken token)
    {
        await RecoverDataAsync(token).ConfigureAwait(false);
        await RecoverMetadataAsync(token).ConfigureAwait(false);
        await RecoverBlocklistsAsync(token).ConfigureAwait(false);
    }

    // The sequence is ordered by block, so a block that has been found is passed over quickly.
    private async Task RecoverDataAsync(CancellationToken token)
    {
        var found = "";
        await foreach (var place in missing.GetSourceFilesWithBlocksAsync(m_format.Blocksize, token).ConfigureAwait(false))
        {
            if (place.Hash != found && ReadFile(place) is { Length: > 0 } block && Fits(place.Hash, block.Span))
            {
                await target.AddAsync(missing, place.Hash, block, true, token).ConfigureAwait(false);
                found = place.Hash;
            }
        }
    }

    private async Task RecoverMetadataAsync(CancellationToken token)
    {
        var found = "";
        await foreach (var item in missing.GetSourceItemsWithMetadataBlocksAsync(token).ConfigureAwait(false))
        {
            if (item.Hash == found)
                continue;

            foreach (var block in ReadMetadata(item.Path).Chunk(m_buffer.Length))
            {
                if (block.Length != item.Size || !Fits(item.Hash, block))
                    continue;

                await target.AddAsync(missing, item.Hash, block, true, token).ConfigureAwait(false);
                found = item.Hash;
                break;
            }
        }
    }

    // A blocklist is the digests of its blocks one after the other, all of which the database has.
    private async Task RecoverBlocklistsAsync(CancellationToken token)
    {
        var digests = new List<byte>();
        LocalRepairDatabase.BlocklistHashesEntry? last = null;
        try
        {
            await foreach (var entry in missing.GetBlocklistHashesAsync(m_format.HashesPerBlocklist, token).ConfigureAwait(false))
            {
                if (last is not null && (last.BlocksetId, last.BlocklistHashIndex) != (entry.BlocksetId, entry.BlocklistHashIndex))
                    await AddBlocklistAsync(last.BlocklistHash, digests, token).ConfigureAwait(false);
                digests.AddRange(Digest(entry.Hash));
                last = entry;
            }
        }
        catch (Exception ex) when (ex.GetType() == typeof(Exception))
        {
            // The row of a list is lost, too.
            context.Progress.Warning(ex.Message);
            return;
        }

        if (last is not null)
            await AddBlocklistAsync(last.BlocklistHash, digests, token).ConfigureAwait(false);
    }

    private async Task AddBlocklistAsync(string hash, List<byte> digests, CancellationToken token)
    {
        var content = digests.ToArray();
        digests.Clear();
        if (Fits(hash, content))
            await target.AddAsync(missing, hash, content, false, token).ConfigureAwait(false);
    }

    // Zeros for a hash that is none: the list is not the one that was lost, then.
    private byte[] Digest(string hash)
    {
        var digest = new byte[m_format.BlockHash.DigestSize];
        _ = HashEncoding.TryDecode(hash, digest);
        return digest;
    }

    private ReadOnlyMemory<byte> ReadFile(LocalRepairDatabase.BlockWithSourceData place)
    {
        try
        {
            if (!File.Exists(place.File))
            {
                NoteAbsent(place.File);
                return default;
            }

            if (UnixFile.IsSpecial(place.File, followsLinks: true) || place.Size > m_buffer.Length)
                return default;
            using var file = new FileStream(
                place.File,
                new FileStreamOptions { Share = FileShare.ReadWrite | FileShare.Delete, BufferSize = 0 }
            );
            file.Position = place.Offset;
            var length = file.ReadAtLeast(m_buffer.AsSpan(0, (int)place.Size), (int)place.Size, throwOnEndOfStream: false);
            return m_buffer.AsMemory(0, length == place.Size ? length : 0);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return default;
        }
    }

    private byte[] ReadMetadata(string path)
    {
        try
        {
            return m_metadata.Read(path).ToBytes();
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            NoteAbsent(path);
            return [];
        }
    }

    private void NoteAbsent(string path)
    {
        if (absent.Count < MostAbsent && LostBlocksMark.AbsentFolder(path) is { } folder)
            absent.Add(folder);
    }

    private bool Fits(string hash, ReadOnlySpan<byte> content) => m_format.BlockHash.HashToBase64(content) == hash;
}

/// <summary>The block volume that takes the recovered blocks of a lost one. It is no larger than the lost one was.</summary>
internal sealed class RecoveredVolume(BlockVolumeWriter writer, long volumeId) : IDisposable
{
    private readonly List<KeyValuePair<string, long>> m_blocks = [];

    /// <summary>Hash and size of the blocks in it.</summary>
    internal IReadOnlyList<KeyValuePair<string, long>> Blocks => m_blocks;

    /// <summary>Adds a block if it is still missing; its content must fit its hash.</summary>
    internal async Task AddAsync(
        LocalRepairDatabase.IMissingBlockList missing,
        string hash,
        ReadOnlyMemory<byte> content,
        bool compressible,
        CancellationToken token
    )
    {
        if (!await missing.SetBlockRestoredAsync(hash, content.Length, volumeId, token).ConfigureAwait(false))
            return;

        writer.AddBlock(hash, content.Span, compressible && Compressibility.IsLikely(content.Span));
        m_blocks.Add(KeyValuePair.Create(hash, (long)content.Length));
    }

    public void Dispose() => writer.Dispose();
}
