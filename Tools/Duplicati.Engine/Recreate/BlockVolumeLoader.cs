// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Batch;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// Puts what a block volume holds into the database, where index volumes are missing or incomplete (contract B, 4.2 step 12).
/// </summary>
internal sealed class BlockVolumeLoader(
    LocalRecreateDatabase database,
    ResumableRebuild resume,
    VolumeDownloader downloader,
    VolumeFormat format
)
{
    private readonly HashSet<(string Hash, long Volume)> m_unreadable = [];
    private bool m_isNew;

    /// <summary>
    /// Whether anything new came since this was asked last, be it of a volume that failed half-way: then blocklists have to be resolved
    /// again.
    /// </summary>
    internal bool TakeIsNew()
    {
        var isNew = m_isNew;
        m_isNew = false;
        return isNew;
    }

    /// <summary>Loads one volume.</summary>
    internal async Task LoadAsync(IRemoteVolume volume, CancellationToken token)
    {
        using var download = await downloader.FetchAsync(volume.Name, volume.Hash, volume.Size, token).ConfigureAwait(false);
        using var reader = BlockVolumeReader.Open(download.Content, volume.Name);
        reader.Manifest.Require(volume.Name, format);
        // Of a volume that no index volume describes nobody knows the hash, and only an encrypted one authenticates itself: the directory
        // of another one may be whole where blocks are rotten, which a backup would then take for known. Before the first row: those of a
        // volume that fails half-way are committed.
        if (string.IsNullOrEmpty(volume.Hash) && VolumeName.Parse(volume.Name)!.Encryption is null)
            reader.VerifyAll(format.BlockHash, token);

        var id = await database.GetRemoteVolumeIDAsync(volume.Name, token).ConfigureAwait(false);
        foreach (var (hash, size) in reader.Blocks)
            m_isNew |= (await database.UpdateBlockAsync(hash, size, id, token).ConfigureAwait(false)).Item1;
        await TakeOverAsync(volume, token).ConfigureAwait(false);
        await foreach (var hash in database.GetBlockListsAsync(id, token).ConfigureAwait(false))
            m_isNew |= await database.AddTempBlockListHashAsync(hash, Read(reader, volume.Name, hash), token).ConfigureAwait(false);
        // Not before: a damaged volume would pass for a whole one from now on.
        await database
            .UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Uploaded, download.Length, download.Hash, token)
            .ConfigureAwait(false);
    }

    /// <summary>
    /// Takes the lists of blocks for lost that were in damaged parts of volumes, and that nothing else has brought. To be called when all
    /// has been read.
    /// </summary>
    internal async Task ForgetUnreadableAsync(CancellationToken token)
    {
        if (m_unreadable.Count == 0)
            return;
        var unknown = LostList.Unknown(database, format.HashesPerBlocklist);
        foreach (var volume in m_unreadable.Select(x => x.Volume).Distinct())
        {
            var needed = await database.GetBlockListsAsync(volume, token).ToListAsync(token).ConfigureAwait(false);
            foreach (var hash in needed.Where(hash => m_unreadable.Contains((hash, volume))))
                LostList.Forget(database, hash, volume, isKnown: !unknown.Contains(hash));
        }
    }

    /// <summary>
    /// Loads what can be read of a damaged volume. Its recorded size and hash stay as they are, so that a repair finds it.
    /// </summary>
    /// <exception cref="VolumeException">Nothing can be read.</exception>
    internal async Task LoadDamagedAsync(IRemoteVolume volume, CancellationToken token)
    {
        var id = await database.GetRemoteVolumeIDAsync(volume.Name, token).ConfigureAwait(false);
        try
        {
            await LoadReadableAsync(volume, id, token).ConfigureAwait(false);
        }
        catch (VolumeException)
        {
            m_unreadable.UnionWith(
                await database.GetBlockListsAsync(id, token).Select(hash => (hash, id)).ToListAsync(token).ConfigureAwait(false)
            );
            throw;
        }
    }

    private async Task LoadReadableAsync(IRemoteVolume volume, long id, CancellationToken token)
    {
        using var download = await downloader.FetchDamagedAsync(volume.Name, token).ConfigureAwait(false);
        using var reader = SalvageReader.Open(download.Content, format.BlockHash, token);
        var buffer = new byte[format.Blocksize];
        foreach (var hash in reader.Hashes)
        {
            var length = reader.Read(hash, -1, buffer);
            if (length > 0)
                m_isNew |= (await database.UpdateBlockAsync(hash, length, id, token).ConfigureAwait(false)).Item1;
        }

        await TakeOverAsync(volume, token).ConfigureAwait(false);
        await foreach (var hash in database.GetBlockListsAsync(id, token).ConfigureAwait(false))
        {
            var length = reader.Read(hash, -1, buffer);
            if (length > 0 && length % format.BlockHash.DigestSize == 0)
                m_isNew |= await database
                    .AddTempBlockListHashAsync(
                        hash,
                        [.. buffer.Take(length).Chunk(format.BlockHash.DigestSize).Select(x => Convert.ToBase64String(x))],
                        token
                    )
                    .ConfigureAwait(false);
            else
                m_unreadable.Add((hash, id));
        }
    }

    // What an index volume says to be in one that is not there, and is in this one.
    private async Task TakeOverAsync(IRemoteVolume volume, CancellationToken token)
    {
        var known = await database.GetRemoteVolumeAsync(volume.Name, token).ConfigureAwait(false);
        await database
            .UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Verified, known.Size, known.Hash, token)
            .ConfigureAwait(false);
        await resume.TakeOverMissingAsync(token).ConfigureAwait(false);
        await database.UpdateRemoteVolumeAsync(volume.Name, known.State, known.Size, known.Hash, token).ConfigureAwait(false);
    }

    private IEnumerable<string> Read(BlockVolumeReader reader, string volume, string hash)
    {
        using var buffer = MemoryPool<byte>.Shared.Rent((int)format.Blocksize);
        var length = reader.ReadVerifiedBlock(hash, format.BlockHash, buffer.Memory.Span);
        var digestSize = format.BlockHash.DigestSize;
        if (length < 0 || length % digestSize != 0)
            throw new CorruptVolumeException(
                volume,
                $"The blocklist '{hash}' has {length} bytes, which is not a multiple of {digestSize}."
            );
        for (var offset = 0; offset < length; offset += digestSize)
            yield return Convert.ToBase64String(buffer.Memory.Span.Slice(offset, digestSize));
    }
}

/// <summary>
/// A list of blocks that is in the damaged part of its volume. As long as its block is known, a file that needs it does not count as
/// broken, although some of its blocks are not known: the database would be inconsistent, and nothing could be purged.
/// </summary>
internal static class LostList
{
    /// <summary>Lists whose first block is not at its place in a file. BlocklistHash in full, the key of BlocksetEntry.</summary>
    private const string UNKNOWN = """
        SELECT DISTINCT l."Hash" FROM "BlocklistHash" l
        WHERE NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = l."BlocksetID" AND e."Index" = l."Index" * $hashes)
        """;

    /// <summary>Another volume has a copy. BlockHashSize, the key of DuplicateBlock.</summary>
    private const string MOVE = """
        UPDATE "Block"
        SET "VolumeID" = (SELECT "VolumeID" FROM "DuplicateBlock" WHERE "BlockID" = "Block"."ID" AND "VolumeID" <> $volume)
        WHERE "Hash" = $hash AND "VolumeID" = $volume
          AND EXISTS (SELECT 1 FROM "DuplicateBlock" WHERE "BlockID" = "Block"."ID" AND "VolumeID" <> $volume)
        """;

    /// <summary>
    /// The volume that a block is in is not listed among those that have a copy of it, too. BlockHashSize, the key of DuplicateBlock.
    /// </summary>
    private const string SETTLE = """
        DELETE FROM "DuplicateBlock"
        WHERE ("BlockID", "VolumeID") IN (SELECT "ID", "VolumeID" FROM "Block" WHERE "Hash" = $hash)
        """;

    /// <summary>No other volume has one. BlockHashSize.</summary>
    private const string FORGET = """DELETE FROM "Block" WHERE "Hash" = $hash AND "VolumeID" = $volume""";

    /// <summary>
    /// The hashes of the lists of which nothing has brought the content, so that a file lacks the blocks that are in them.
    /// </summary>
    internal static HashSet<string> Unknown(LocalDatabase database, int hashesInList) =>
        DumpQuery.Rows(database.Connection, UNKNOWN, x => x.GetString(0), ("$hashes", hashesInList)).ToHashSet(StringComparer.Ordinal);

    /// <summary>
    /// Forgets that a volume holds the block of the list. Where no other volume has one, that of a known list stays: it breaks no file.
    /// Does not commit.
    /// </summary>
    internal static void Forget(LocalDatabase database, string hash, long volume, bool isKnown)
    {
        foreach (var sql in (string[])(isKnown ? [MOVE, SETTLE] : [MOVE, SETTLE, FORGET]))
            DumpQuery.Execute(database.Connection, sql, ("$hash", hash), ("$volume", volume));
    }
}
