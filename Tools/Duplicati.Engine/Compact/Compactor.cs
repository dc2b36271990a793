// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Compact;

/// <summary>
/// Frees space in the remote folder: deletes volumes no version needs any more, and copies what is left of wasteful or small
/// volumes into new ones. Old volumes go only after everything in them has been uploaded again and booked, and those with further copies of
/// blocks of others last, see <see cref="LastCopies"/>.
/// </summary>
internal sealed class Compactor(
    EngineOptions options,
    BackupSettings settings,
    LocalDeleteDatabase database,
    IRemoteFolder folder,
    IEngineProgress progress
)
{
    /// <summary>Of the failure where nobody knows what a version needs.</summary>
    internal const string UNKNOWN_VERSIONS = "VersionsAreNotKnown";

    // The command may be a deletion, whose numbers mean other versions now.
    private static readonly string s_onceReadable = $"Make it readable. {Advice.FreeSpace()}";

    /// <summary>
    /// Lists of partial versions that were there when the database was recreated: they may be of what could be read of a damaged list; and
    /// those without a hash, which a repair could not read. Operations have consecutive ids and are never removed, so that one that is
    /// lost, which may have been a recreate, leaves a gap or a version without one. Of other versions, or what was damaged later and has
    /// another hash, the entries are known; and where a disk always keeps back a file, there is one a backup. Twice one row a version in
    /// Fileset; Remotevolume by id; scans Operation once, one row a command, and looks each up by id.
    /// </summary>
    private const string PARTIAL_LISTS = """
        SELECT "v"."Name"
        FROM "Fileset" "f"
        CROSS JOIN "Remotevolume" "v" ON "v"."ID" = "f"."VolumeID"
        WHERE "f"."IsFullBackup" = 0 AND "v"."State" IN ('Uploaded', 'Verified') AND (
            COALESCE("v"."Hash", '') = ''
            OR "f"."OperationID" <= (
                SELECT MAX("ID") FROM (
                    SELECT "ID" FROM "Operation" "o"
                    WHERE "Description" = 'Recreate'
                        OR ("ID" > 1 AND NOT EXISTS (SELECT 1 FROM "Operation" WHERE "ID" = "o"."ID" - 1))
                    UNION ALL
                    SELECT "OperationID" FROM "Fileset" WHERE "OperationID" NOT IN (SELECT "ID" FROM "Operation")
                )
            )
        )
        """;

    private readonly HashSet<long> m_whole = [];
    private int m_read;
    private VolumeDownloader m_downloader = null!;

    /// <summary>
    /// As <see cref="RunAsync"/>, after something was done: null, with a warning, where nobody knows what a version needs.
    /// </summary>
    internal async Task<CompactReport?> TryRunAsync(CancellationToken token)
    {
        try
        {
            return await RunAsync(token).ConfigureAwait(false);
        }
        catch (UserInformationException ex) when (ex.HelpID == UNKNOWN_VERSIONS)
        {
            progress.Warning($"No space was freed. {ex.Message}");
            return null;
        }
    }

    /// <exception cref="UserInformationException">Help id <see cref="UNKNOWN_VERSIONS"/>: nothing was done.</exception>
    internal async Task<CompactReport> RunAsync(CancellationToken token)
    {
        var volumeSize = settings.Format.VolumeSize;
        var report = await database
            .GetCompactReportAsync(
                volumeSize,
                options.CompactThreshold,
                options.SmallFileSize ?? volumeSize / 5,
                options.SmallFileMaxCount,
                token
            )
            .ConfigureAwait(false);
        report.ReportCompactData();
        if (!(report.ShouldReclaim || report.ShouldCompact))
            return new CompactReport(0, 0, 0, 0, 0);

        using var temporary = new TemporaryFolder();
        m_downloader = new VolumeDownloader(folder, settings, temporary.Path);
        await RefuseUnknownVersionsAsync(token).ConfigureAwait(false);
        // An interrupted backup stays known: only the next backup, or a repair, deals with it.
        var wasInterrupted = await database.TerminatedWithActiveUploadsAsync(token).ConfigureAwait(false);
        await database.TerminatedWithActiveUploadsAsync(token, true).ConfigureAwait(false);
        using var shared = new SharedDatabase<LocalDatabase>(database);
        var uploader = new VolumeUploader<LocalDatabase>(shared, folder, progress);
        var remover = new VolumeRemover(database, folder, progress);
        var holders = LastCopies.Holders(database);
        var unneeded = await RemovableAsync(report.DeleteableVolumes, token).ConfigureAwait(false);
        await SpareOtherBackupsAsync(unneeded, token).ConfigureAwait(false);
        if (report.ShouldReclaim)
            await RemoveAsync(remover, unneeded.FindAll(x => !holders.Contains(x.ID)), token).ConfigureAwait(false);
        var last = unneeded.FindAll(x => holders.Contains(x.ID));
        if (report.ShouldCompact)
        {
            var target = new CompactVolumes(settings, options.IndexPolicy, shared, uploader, temporary.Path);
            var emptied = await CopyAsync([.. report.CompactableVolumes], target, token).ConfigureAwait(false);
            last.AddRange(await RemovableAsync(emptied, token).ConfigureAwait(false));
        }

        await SpareLastCopiesAsync(last, token).ConfigureAwait(false);
        await RemoveAsync(remover, last, token).ConfigureAwait(false);
        await database.TerminatedWithActiveUploadsAsync(token, wasInterrupted).ConfigureAwait(false);
        return new CompactReport(m_read, uploader.UploadedVolumes, uploader.UploadedBytes, remover.Removed.Volumes, remover.Removed.Bytes);
    }

    // What only such a version needs looks like what none does.
    private async Task RefuseUnknownVersionsAsync(CancellationToken token)
    {
        var unknown = await new EmptyVersions(database, m_downloader, settings.Format).FindAsync(token).ConfigureAwait(false);
        if (unknown.Count > 0)
            throw Unknown(unknown[0].What, "it", unknown[0].Unread is null ? unknown[0].Remedy : s_onceReadable);

        var checker = new VolumeChecker(m_downloader, settings.Format);
        foreach (var name in DumpQuery.Rows(database.Connection, PARTIAL_LISTS, x => x.GetString(0)).ToList())
        {
            try
            {
                var list = await database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
                // A repair has taken entries out of the version, and not come to its list.
                if (string.IsNullOrEmpty(list.Hash))
                    throw Unknown($"{name} may name more than the database knows.", "the rest of its version", Advice.DifferentFolder());
                await checker.CheckAsync(list, token).ConfigureAwait(false);
            }
            catch (VolumeException ex) when (ex is not VolumeChangedException)
            {
                throw Unknown(ex.What(), "the rest of its version", ex.Remedy, ex);
            }
            catch (RemoteFileUnreadableException ex)
            {
                throw Unknown(ex.What, "the rest of its version", s_onceReadable, ex);
            }
        }
    }

    private static UserInformationException Unknown(string what, string whose, string remedy, Exception? inner = null) =>
        new($"{what} Nobody knows which blocks {whose} needs, so that no volume may go. {remedy}", UNKNOWN_VERSIONS, inner!);

    // A volume that cannot be read keeps its blocks and stays.
    private async Task<List<string>> CopyAsync(IReadOnlyList<string> sources, CompactVolumes target, CancellationToken token)
    {
        var emptied = new List<string>();
        using var query = await database.CreateBlockQueryHelperAsync(token).ConfigureAwait(false);
        folder.Prefetch(sources.Select(x => (x, -1L)));
        foreach (var name in sources)
        {
            try
            {
                await CopyAsync(name, query, target, token).ConfigureAwait(false);
                emptied.Add(name);
            }
            catch (Exception ex) when (ex is VolumeException or RemoteFileUnreadableException)
            {
                progress.Warning($"Left {name} as it is: {ex.Message}");
            }

            progress.Advance("compact", ++m_read, sources.Count);
        }

        await target.FinishAsync(token).ConfigureAwait(false);
        return emptied;
    }

    private async Task CopyAsync(string name, LocalDeleteDatabase.IBlockQuery query, CompactVolumes target, CancellationToken token)
    {
        var entry = await database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
        using var download = await m_downloader.FetchAsync(name, entry.Hash, entry.Size, token).ConfigureAwait(false);
        using var reader = BlockVolumeReader.Open(download.Content, name);
        // Before anything is copied, which the next compact would copy again.
        VolumeChecker.RequireRecorded(database.Connection, entry, reader);
        var buffer = ArrayPool<byte>.Shared.Rent(settings.BlockSize);
        try
        {
            foreach (var (hash, size) in reader.Blocks)
            {
                if (!await query.UseBlockAsync(hash, size, entry.ID, token).ConfigureAwait(false))
                    continue;

                var length = reader.ReadVerifiedBlock(hash, settings.Format.BlockHash, buffer);
                var volumeId = await target.AddAsync(hash, buffer.AsMemory(0, length), token).ConfigureAwait(false);
                await database.RegisterDuplicatedBlockAsync(hash, size, volumeId, token).ConfigureAwait(false);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        m_whole.Add(entry.ID);
    }

    // Of what a recreate has found in the folder, and no index volume describes, nobody has looked at the blocks.
    private async Task SpareOtherBackupsAsync(List<RemoteVolumeEntry> volumes, CancellationToken token)
    {
        foreach (var volume in volumes.FindAll(x => string.IsNullOrEmpty(x.Hash)))
        {
            try
            {
                using var download = await m_downloader.FetchAsync(volume.Name, null, volume.Size, token).ConfigureAwait(false);
                using var reader = BlockVolumeReader.Open(download.Content, volume.Name);
                reader.Manifest.Require(volume.Name, settings.Format);
            }
            catch (Exception ex) when (ex is VolumeException or RemoteFileUnreadableException)
            {
                progress.Warning($"Left {volume.Name} as it is: {ex.Message}");
                volumes.Remove(volume);
            }
        }
    }

    private async Task SpareLastCopiesAsync(List<RemoteVolumeEntry> volumes, CancellationToken token)
    {
        foreach (
            var group in LastCopies.Find(database, volumes.Select(x => x.ID).ToHashSet(), m_whole).GroupBy(x => x.Recorded, x => x.Holder)
        )
        {
            if (!await IsWholeAsync(group.Key, token).ConfigureAwait(false))
                volumes.RemoveAll(x => group.Contains(x.ID));
        }
    }

    private async Task<bool> IsWholeAsync(long id, CancellationToken token)
    {
        var volume = await database.GetRemoteVolumesAsync(token).FirstOrDefaultAsync(x => x.ID == id, token).ConfigureAwait(false);
        if (volume.State is not (RemoteVolumeState.Uploaded or RemoteVolumeState.Verified))
            return false;

        try
        {
            using var download = await m_downloader.FetchAsync(volume.Name, volume.Hash, volume.Size, token).ConfigureAwait(false);
            using var reader = BlockVolumeReader.Open(download.Content, volume.Name);
            VolumeChecker.RequireRecorded(database.Connection, volume, reader);
            return true;
        }
        catch (Exception ex) when (ex is VolumeException or RemoteFileUnreadableException)
        {
            progress.Warning($"Left further copies of what {volume.Name} holds: {ex.Message}");
            return false;
        }
    }

    // What is being uploaded or deleted already is left to whoever settles that; the report names volumes in any state.
    private async Task<List<RemoteVolumeEntry>> RemovableAsync(IEnumerable<string> names, CancellationToken token)
    {
        var volumes = new List<RemoteVolumeEntry>();
        foreach (var name in names)
        {
            var volume = await database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
            if (volume.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified)
                volumes.Add(volume);
        }

        return volumes;
    }

    private async Task RemoveAsync(VolumeRemover remover, List<RemoteVolumeEntry> volumes, CancellationToken token)
    {
        if (volumes.Count > 0)
            await new RemoteInventory(database, folder, settings.Prefix, progress).RefuseExtraAsync(token).ConfigureAwait(false);
        // As they are now: others may have committed since they were chosen.
        volumes = await RemovableAsync(volumes.Select(x => x.Name), token).ConfigureAwait(false);
        var ids = volumes.Select(x => x.ID).ToList();
        foreach (var volume in volumes)
            await database.PrepareForDeleteAsync(volume.Name, ids, token).ConfigureAwait(false);
        var ordered = await database
            .ReOrderDeleteableVolumesAsync(volumes.Select(x => (IRemoteVolume)new RemoteVolume(x.Name, x.Hash, x.Size)), token)
            .ToListAsync(token)
            .ConfigureAwait(false);
        await remover.RemoveAsync(ordered, token).ConfigureAwait(false);
    }
}
