// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Makes lost and damaged block volumes anew from what is left of them, sources and other volumes, as far as their blocks can be found.
/// </summary>
/// <remarks>
/// Blocks change their volume in the database only after the new volume has been uploaded: the blocks of a volume that never arrives would
/// be forgotten together with the files that need them.
/// </remarks>
/// <param name="context">What a repair works on.</param>
/// <param name="indexes">Makes index volumes; null where rows contradict each other: no index is made of them, and what old ones say of
/// lost volumes stays.</param>
/// <param name="lost">The volumes.</param>
internal sealed class BlockVolumeRebuilder(RepairContext context, IndexRebuilder? indexes, IReadOnlyList<RemoteVolumeEntry> lost)
{
    /// <summary>
    /// The volumes with a further copy of a block of a volume. Block_IndexByVolumeId, key of DuplicateBlock, Remotevolume by id.
    /// </summary>
    private const string COPY_HOLDERS = """
        SELECT DISTINCT "v"."Name"
        FROM "Block" "b"
        CROSS JOIN "DuplicateBlock" "d" ON "d"."BlockID" = "b"."ID"
        CROSS JOIN "Remotevolume" "v" ON "v"."ID" = "d"."VolumeID"
        WHERE "b"."VolumeID" = @volume AND "d"."VolumeID" <> @volume AND "v"."State" IN ('Uploaded', 'Verified')
        ORDER BY "v"."ID"
        """;

    /// <summary>Help id of the failure to find what a volume held.</summary>
    internal const string NOT_POSSIBLE = "RepairIsNotPossible";

    private readonly LocalRepairDatabase m_database = context.Database;
    private readonly HashSet<string> m_lostNames = [.. lost.Select(x => x.Name)];
    private readonly List<(RemoteVolumeEntry Volume, bool IsWhole)> m_done = [];
    private readonly List<string> m_inVain = [];

    /// <summary>Number of blocks found so far.</summary>
    internal long Recovered { get; private set; }

    /// <summary>Number of blocks not found so far.</summary>
    internal long Lost { get; private set; }

    /// <summary>Names of the volumes of which not all blocks are anywhere.</summary>
    internal IReadOnlyCollection<string> InVain => m_inVain;

    private readonly HashSet<string> m_absent = new(StringComparer.Ordinal);

    /// <summary>Folders of sources that are not there, or are empty.</summary>
    internal IReadOnlyCollection<string> Absent => m_absent;

    /// <summary>Whether there are block volumes that the database does not know, in which a recreate looks, too.</summary>
    internal bool HasUnknown { get; init; }

    /// <summary>What helps if not all were found.</summary>
    internal string Remedy =>
        (Absent.Count == 0 ? "" : Advice.AbsentSource(LostBlocksMark.Named(Absent)) + " ")
        + (HasUnknown ? Advice.RecreateDatabase() : Advice.LostBlocks());

    /// <summary>Makes one volume anew, with its index volume, and commits.</summary>
    /// <exception cref="UserInformationException">Help id <c>RepairIsNotPossible</c>: nothing of a missing one was found, or not all and a
    /// part is not wanted.</exception>
    internal async Task RebuildAsync(RemoteVolumeEntry volume, bool allowPart, CancellationToken token)
    {
        if (!await HasBlocksAsync(volume, token).ConfigureAwait(false))
        {
            m_done.Add((volume, true));
            return;
        }

        var settings = context.Settings;
        var name = VolumeName.New(RemoteVolumeType.Blocks, settings.Prefix, settings.Encryption, settings.Module);
        var (blocks, missing) = await CollectAsync(volume, name, token).ConfigureAwait(false);
        // What was booked while collecting must not be durable before the upload is.
        await m_database.Transaction.RollBackAsync("RollbackCollectedBlocks", true, token).ConfigureAwait(false);
        Tell(volume, blocks.Count, missing, allowPart);
        if (blocks.Count > 0)
            await PublishAsync(volume, name, blocks, missing == 0, token).ConfigureAwait(false);
        m_done.Add((volume, missing == 0));
        Recovered += blocks.Count;
        Lost += missing;
    }

    /// <summary>
    /// When all are made anew: those of which all was found are dropped; damaged ones, which may have held what another one has lost, are
    /// taken out of the way.
    /// </summary>
    internal async Task FinishAsync(CancellationToken token)
    {
        if (indexes is null)
            return;
        foreach (var (volume, isWhole) in m_done)
        {
            if (isWhole)
                await DropAsync(volume, indexes, token).ConfigureAwait(false);
            else
                await context.RetireAsync(volume.Name, token).ConfigureAwait(false);
        }
    }

    private async Task PublishAsync(
        RemoteVolumeEntry volume,
        VolumeName name,
        IReadOnlyList<KeyValuePair<string, long>> blocks,
        bool isWhole,
        CancellationToken token
    )
    {
        var volumeId = await m_database
            .RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token)
            .ConfigureAwait(false);
        await context.UploadAsync(name, token).ConfigureAwait(false);
        if (isWhole)
            await MoveAllAsync(volume, blocks, volumeId, token).ConfigureAwait(false);
        else
            await MoveSomeAsync(volume, blocks, volumeId, token).ConfigureAwait(false);
        await m_database.Transaction.CommitAsync("PostRepairBlockVolume", true, token).ConfigureAwait(false);

        if (context.Policy != IndexPolicy.None && indexes is not null)
        {
            var entry = await m_database.GetRemoteVolumeAsync(name.FileName, token).ConfigureAwait(false);
            await indexes.CreateAsync([entry], token).ConfigureAwait(false);
        }
    }

    private async Task<bool> HasBlocksAsync(RemoteVolumeEntry volume, CancellationToken token)
    {
        try
        {
            await using ((await m_database.CreateBlockListAsync(volume.Name, token).ConfigureAwait(false)).ConfigureAwait(false))
                return true;
        }
        catch (Exception ex) when (ex.GetType() == typeof(Exception))
        {
            // The list of a volume without blocks cannot be made (contract B, 5.4).
            return false;
        }
    }

    private async Task<(IReadOnlyList<KeyValuePair<string, long>> Blocks, long Missing)> CollectAsync(
        RemoteVolumeEntry volume,
        VolumeName name,
        CancellationToken token
    )
    {
        context.Progress.Message($"Looking for the blocks of {volume.Name}");
        var volumeId = await m_database
            .RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token)
            .ConfigureAwait(false);
        var copies = DumpQuery.Rows(m_database.Connection, COPY_HOLDERS, x => x.GetString(0), ("@volume", volume.ID)).ToList();
        var missing = await m_database.CreateBlockListAsync(volume.Name, token).ConfigureAwait(false);
        await using var missingScope = missing.ConfigureAwait(false);
        using var target = new RecoveredVolume(new BlockVolumeWriter(name, context.CreateFile(name), context.Settings.Format), volumeId);
        // What is under a name may be what belongs under another one.
        foreach (var damaged in m_lostNames.Where(context.Damaged.Contains).OrderBy(x => x != volume.Name))
        {
            if (await missing.GetMissingBlockCountAsync(token).ConfigureAwait(false) > 0)
                await SalvageAsync(damaged, volume, missing, target, token).ConfigureAwait(false);
        }

        var sources = new SourceBlocks(context, missing, target, m_absent);
        await sources.RecoverAsync(token).ConfigureAwait(false);
        var others = await missing.GetMissingBlockSourcesAsync(token).Select(x => x.Name).ToListAsync(token).ConfigureAwait(false);
        foreach (var other in others.Union(copies).Except(m_lostNames))
        {
            if (await missing.GetMissingBlockCountAsync(token).ConfigureAwait(false) > 0)
                await CopyAsync(other, volume, missing, target, token).ConfigureAwait(false);
        }

        return (target.Blocks, await missing.GetMissingBlockCountAsync(token).ConfigureAwait(false));
    }

    private void Tell(RemoteVolumeEntry volume, int found, long missing, bool allowPart)
    {
        if (missing == 0)
            return;
        // What was found is not lost, and a purge would take the files that need it, too.
        var isRefused = found > 0 && !allowPart;
        var text =
            $"Repair acquired {SizeText.Count(found, "block")} for volume {volume.Name}, but {SizeText.Count(missing, "block is", "blocks are")} still missing. {(isRefused ? Advice.TakePart() : Remedy)}";
        if (!isRefused)
            m_inVain.Add(volume.Name);
        if ((found == 0 && !context.Damaged.Contains(volume.Name)) || !allowPart)
            throw new UserInformationException(text, NOT_POSSIBLE);
        context.Progress.Warning(text);
    }

    // What can be read of a volume in a damaged file.
    private async Task SalvageAsync(
        string damaged,
        RemoteVolumeEntry volume,
        LocalRepairDatabase.IMissingBlockList missing,
        RecoveredVolume target,
        CancellationToken token
    )
    {
        var format = context.Settings.Format;
        var blocks = await m_database
            .GetBlocksAsync(volume.ID, token)
            .Select(x => KeyValuePair.Create(x.Hash, x.Size))
            .ToListAsync(token)
            .ConfigureAwait(false);
        using var buffer = MemoryPool<byte>.Shared.Rent(context.Settings.BlockSize);
        var found = 0;
        try
        {
            using var download = await context.Downloader.FetchDamagedAsync(damaged, token).ConfigureAwait(false);
            using var reader = SalvageReader.Open(download.Content, format.BlockHash, token);
            foreach (var (hash, size) in blocks)
            {
                var length = reader.Read(hash, size, buffer.Memory.Span);
                if (length < 0)
                    continue;
                await target.AddAsync(missing, hash, buffer.Memory[..length], true, token).ConfigureAwait(false);
                found++;
            }
        }
        catch (VolumeException ex)
        {
            context.Progress.Warning($"Nothing of {damaged} can be read: {ex.What()}");
        }

        if (damaged == volume.Name)
            context.Progress.Message($"{found} of {SizeText.Count(blocks.Count, "block")} of the damaged {volume.Name} can be read");
        else if (found > 0)
            context.Progress.Message(
                $"{SizeText.Count(found, "block of " + volume.Name + " is", "blocks of " + volume.Name + " are")} in the damaged {damaged}"
            );
    }

    private async Task CopyAsync(
        string other,
        RemoteVolumeEntry volume,
        LocalRepairDatabase.IMissingBlockList missing,
        RecoveredVolume target,
        CancellationToken token
    )
    {
        var format = context.Settings.Format;
        var entry = await m_database.GetRemoteVolumeAsync(other, token).ConfigureAwait(false);
        using var buffer = MemoryPool<byte>.Shared.Rent(context.Settings.BlockSize);
        try
        {
            using var download = await context.Downloader.FetchAsync(other, entry.Hash, entry.Size, token).ConfigureAwait(false);
            using var reader = BlockVolumeReader.Open(download.Content, other);
            foreach (var (hash, _) in reader.Blocks)
            {
                var length = reader.ReadVerifiedBlock(hash, format.BlockHash, buffer.Memory.Span);
                await target.AddAsync(missing, hash, buffer.Memory[..length], true, token).ConfigureAwait(false);
            }
        }
        catch (VolumeException ex)
        {
            context.Progress.Warning($"Only what can be read of a damaged volume is taken: {ex.What()}");
            await SalvageAsync(other, volume, missing, target, token).ConfigureAwait(false);
        }
    }

    // As after a compact: the new volume is where the blocks are, and nothing of the old one is remembered.
    private async Task MoveAllAsync(
        RemoteVolumeEntry volume,
        IReadOnlyList<KeyValuePair<string, long>> blocks,
        long volumeId,
        CancellationToken token
    )
    {
        var mover = await LocalDeleteDatabase.CreateAsync(m_database, null, token).ConfigureAwait(false);
        await using var moverScope = mover.ConfigureAwait(false);
        foreach (var (hash, size) in blocks)
            await mover.RegisterDuplicatedBlockAsync(hash, size, volumeId, token).ConfigureAwait(false);
        await mover.PrepareForDeleteAsync(volume.Name, lost.Select(x => x.ID), token).ConfigureAwait(false);
    }

    private async Task MoveSomeAsync(
        RemoteVolumeEntry volume,
        IReadOnlyList<KeyValuePair<string, long>> blocks,
        long volumeId,
        CancellationToken token
    )
    {
        var list = await m_database.CreateBlockListAsync(volume.Name, token).ConfigureAwait(false);
        await using var listScope = list.ConfigureAwait(false);
        foreach (var (hash, size) in blocks)
            await list.SetBlockRestoredAsync(hash, size, volumeId, token).ConfigureAwait(false);
    }

    // Index volumes that describe other volumes too are made anew without the lost one.
    private async Task DropAsync(RemoteVolumeEntry volume, IndexRebuilder indexes, CancellationToken token)
    {
        foreach (
            var index in await m_database.GetIndexFilesReferencingBlockFileAsync(volume.ID, token).ToListAsync(token).ConfigureAwait(false)
        )
            await indexes.ReplaceAsync(index, [volume.Name], token).ConfigureAwait(false);
        await context.Remover.RemoveAsync([new RemoteVolume(volume.Name, volume.Hash, volume.Size)], token).ConfigureAwait(false);
    }
}
