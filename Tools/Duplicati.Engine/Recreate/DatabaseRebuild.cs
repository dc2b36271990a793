// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Batch;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// The steps of a recreate in upstream's order (contract B, section 4.2), on an open database that is empty, or that an interrupted
/// recreate has left. After each volume is a commit, with the note that it is done; what fails is read again the next time.
/// </summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
/// <param name="database">The database.</param>
/// <param name="folder">The remote folder.</param>
/// <param name="temporaryFolder">Takes what is fetched.</param>
/// <param name="mark">How far an interrupted recreate has come.</param>
/// <param name="isWanted">The paths of the entries to take over; index volumes are then read until these have all their blocks. Null for
/// everything.</param>
internal sealed partial class DatabaseRebuild(
    EngineOptions options,
    IEngineProgress progress,
    LocalDatabase database,
    IRemoteFolder folder,
    string temporaryFolder,
    RecreateMark mark,
    Func<string, bool>? isWanted
)
{
    private const int FewIndexes = 8;
    private const string BROKEN = "DatabaseIsBrokenConsiderPurge";

    private readonly VolumeDownloader m_downloader = new(folder, options.Passphrase, temporaryFolder)
    {
        Searching = progress,
        GoesOnWithoutKeptBack = isWanted is not null,
        Algorithm = mark.ApplyTo(new VolumeFormat()).FileHash,
    };
    private VolumeFormat m_format = mark.ApplyTo(new VolumeFormat { VolumeSize = options.VolumeSize ?? new VolumeFormat().VolumeSize });
    private RecreateMark m_mark = mark;
    private LocalRecreateDatabase m_recreate = null!;
    private ResumableRebuild m_resume = null!;
    private VolumePlan m_plan = null!;
    private ContestedVolumes m_contested = null!;
    private IndexLoader? m_loader;
    private IReadOnlyDictionary<DateTime, string>? m_labels;
    private string? m_newestList;
    private int m_filelists;
    private int m_indexes;
    private int m_blockVolumes;
    private int m_problems;

    /// <summary>
    /// Where a folder without any file list is an error, because versions are asked for or a database that may know some would go: says
    /// what to do about it. Null where it is none.
    /// </summary>
    internal Func<CancellationToken, Task<string>>? WithoutLists { get; init; }

    internal async Task<RecreateReport> RunAsync(CancellationToken token)
    {
        m_recreate = await LocalRecreateDatabase.CreateAsync(database, options.ToCoreOptions(), null, token).ConfigureAwait(false);
        await using (m_recreate.ConfigureAwait(false))
        {
            m_resume = ResumableRebuild.Of(m_recreate);
            m_plan = new VolumePlan(options, folder, m_recreate, m_resume, progress, WithoutLists);
            m_contested = new ContestedVolumes(m_recreate, m_plan.Find, progress);
            await ReadOrSuspendAsync(token).ConfigureAwait(false);
            await m_recreate.CleanupMissingVolumesAsync(token).ConfigureAwait(false);
            if (options.StoreMetadataContent)
                await new MetadataContentLoader(m_recreate, m_downloader, m_format, progress).LoadAsync(token).ConfigureAwait(false);
            progress.Message("Recreate completed, checking the database");
            await CheckAsync(token).ConfigureAwait(false);
        }

        return Report();
    }

    // What is in a list twice with different contents shows here only, and not at all where blocks are missing, which is found first: no
    // purge of those could end then.
    private async Task CheckAsync(CancellationToken token)
    {
        if (m_mark.RefusedEntries > 0)
            await UnusedRows.DropAsync(m_recreate, token).ConfigureAwait(false);
        try
        {
            await RequireWholeAsync(token).ConfigureAwait(false);
        }
        catch (UserInformationException ex) when (ex.HelpID is RepeatedPaths.HELP_ID or BROKEN)
        {
            var refused = new RefusedEntries();
            RepeatedPaths.Remove(m_recreate, refused);
            if (refused.Count == 0)
                throw;
            await RefuseAsync(refused, token).ConfigureAwait(false);
            await UnusedRows.DropAsync(m_recreate, token).ConfigureAwait(false);
            await m_recreate.Transaction.CommitAsync("CommitRepeatedPaths", true, token).ConfigureAwait(false);
            await RequireWholeAsync(token).ConfigureAwait(false);
        }
    }

    // By contract B, 4.2 step 17. The mark of an unfinished repair goes where it is.
    private async Task RequireWholeAsync(CancellationToken token)
    {
        var broken = await LocalListBrokenFilesDatabase.CreateAsync(m_recreate, null, token).ConfigureAwait(false);
        await using (broken.ConfigureAwait(false))
        {
            var count = await broken.GetBrokenFilesetsAsync(new DateTime(0), null, token).CountAsync(token).ConfigureAwait(false);
            if (count != 0)
                throw new UserInformationException(
                    $"The recreated database has missing blocks and {SizeText.Count(count, "broken file list")}. {Advice.LostBlocks()}",
                    BROKEN
                );
        }

        await m_recreate.VerifyConsistencyAsync(m_format.Blocksize, m_format.BlockHash.DigestSize, true, token).ConfigureAwait(false);
        await m_recreate.RepairInProgressAsync(token, false).ConfigureAwait(false);
    }

    private RecreateReport Report() =>
        new RecreateReport(m_filelists, m_indexes, m_blockVolumes, m_problems, m_plan.Kept) { RefusedEntries = m_mark.RefusedEntries };

    // What is not committed would be committed by the disposal, without the note that it is done.
    private async Task ReadOrSuspendAsync(CancellationToken token)
    {
        try
        {
            await m_plan.PrepareAsync(m_mark.IsRead, token).ConfigureAwait(false);
            if (m_plan.Kept > 0)
                progress.Message($"Going on with an interrupted recreate, which has read {SizeText.Count(m_plan.Kept, "volume")}");
            if (m_plan.Filelists().Count == 0)
                progress.Warning(
                    $"No file lists were found at {options.Remote}: either no backup has ended yet, or all are lost. The database gets no versions; the next backup uses the blocks that are there"
                );
            if (m_mark.IsRead)
                await m_resume.BuildIndexesAsync(token).ConfigureAwait(false);
            else
                await ReadAsync(token).ConfigureAwait(false);
        }
        catch
        {
            m_resume.Suspend();
            throw;
        }
    }

    private async Task ReadAsync(CancellationToken token)
    {
        if (!await m_resume.IsWholeAsync(token).ConfigureAwait(false))
            throw new CannotContinueException("rows are missing in the database");
        await m_resume.BeginAsync(m_format.BlockHash == m_format.FileHash, token).ConfigureAwait(false);
        await m_recreate.Transaction.CommitAsync("CommitRecreateBegin", true, token).ConfigureAwait(false);
        m_plan.Prefetch(withIndexes: isWanted is null);
        await LoadFilelistsAsync(token).ConfigureAwait(false);
        await LoadIndexesAsync(token).ConfigureAwait(false);
        m_loader?.TellMissing();
        await m_recreate.CleanupMissingVolumesAsync(token).ConfigureAwait(false);
        await m_recreate.FindMissingBlocklistHashesAsync(m_format.BlockHash.DigestSize, m_format.Blocksize, token).ConfigureAwait(false);
        await LoadBlockVolumesAsync(token).ConfigureAwait(false);
        await m_contested.SettleAsync(token).ConfigureAwait(false);
        await m_resume.DropStagedAsync(token).ConfigureAwait(false);
        await StoreAsync(m_mark with { IsRead = true }, token).ConfigureAwait(false);
        progress.Working("Building the indexes");
        await m_recreate.CleanupDeletedBlocksAsync(token).ConfigureAwait(false);
    }

    // Told at once, and known to whoever goes on.
    private Task RefuseAsync(RefusedEntries refused, CancellationToken token)
    {
        refused.Tell(progress);
        return refused.Count == 0
            ? Task.CompletedTask
            : StoreAsync(m_mark with { RefusedEntries = m_mark.RefusedEntries + refused.Count }, token);
    }

    private Task StoreAsync(RecreateMark changed, CancellationToken token) => (m_mark = changed).StoreAsync(m_recreate, token);

    // Whether a volume that does not open is that volume's fault and not the passphrase's, which opens others. Where none was opened yet,
    // one is that an interrupted recreate has opened, or a few of those that are no lists.
    private async Task<bool> IsOfOneVolumeAsync(VolumeException failure, CancellationToken token)
    {
        if (failure is not (WrongPassphraseException or MissingPassphraseException) || m_filelists + m_indexes + m_blockVolumes > 0)
            return true;
        foreach (var other in m_plan.SmallestRead() is { } read ? [read] : m_plan.CheapestOthers(FewIndexes))
        {
            try
            {
                using var download = await m_downloader.FetchAsync(other.Name, token).ConfigureAwait(false);
                return true;
            }
            catch (VolumeException)
            {
                // Perhaps the next one.
            }
        }

        return false;
    }

    // What to do about one volume is no advice where none opens.
    private static Exception WithoutAdvice(VolumeException failure) =>
        failure is WrongPassphraseException
            ? new UserInformationException(
                $"The passphrase does not open {failure.Volume}, nor another volume of the folder. {Advice.GivePassphrase()}",
                "WrongPassphrase",
                failure
            )
            : failure;

    private async Task LoadIndexesAsync(CancellationToken token)
    {
        var files = m_plan.Of(RemoteVolumeType.Index).ToList();
        var open = m_plan.Open(files).ToList();
        if (isWanted is null)
        {
            await LoadIndexesAsync(open, files.Count, token).ConfigureAwait(false);
            return;
        }

        // Each question costs as much as what was read, so it is asked when that has doubled.
        for (var read = 0; read < open.Count; )
        {
            var some = open.Slice(read, Math.Min(open.Count - read, Math.Max(FewIndexes, read)));
            folder.Prefetch(some.Select(x => (x.Name, x.Size)));
            await LoadIndexesAsync(some, files.Count, token).ConfigureAwait(false);
            read += some.Count;
            if (read == open.Count || await IsBlockVolumeNeededAsync(token).ConfigureAwait(false))
                continue;
            progress.Message($"All that is needed is in {read} of {SizeText.Count(open.Count, "index volume")}");
            return;
        }
    }

    private async Task LoadIndexesAsync(IReadOnlyList<RemoteFile> open, int total, CancellationToken token)
    {
        var kept = total - m_plan.Open(m_plan.Of(RemoteVolumeType.Index)).Count();
        var done = 0;
        m_loader ??= new IndexLoader(m_recreate, m_plan.Find, progress);
        // A parsed index volume is in memory as a whole, about 40 bytes a block, and twice as many wait as are being parsed.
        var feed = new IndexFeed(m_downloader, m_format, options.VolumesAtOnce);
        await foreach (var item in feed.ReadAsync(open, token).ConfigureAwait(false))
        {
            if (item.Index is { } index)
            {
                await m_loader.LoadAsync(index, token).ConfigureAwait(false);
                await LogAsync(item.File, token).ConfigureAwait(false);
                await m_plan.SetDoneAsync(item.File.Name, token).ConfigureAwait(false);
                m_indexes++;
                done++;
            }
            else if (item.Failure is { } failure && await IsReadableElsewhereAsync(failure, token).ConfigureAwait(false))
            {
                m_problems++;
                CountOther(failure);
                progress.Warning($"Failed to process {item.File.Name}: {failure.Message}");
                // The file is the one that was uploaded as far as anyone knows; what is in it comes from the block volumes.
                if (item.Hash is { } hash)
                    await m_recreate
                        .UpdateRemoteVolumeAsync(item.File.Name, RemoteVolumeState.Verified, item.File.Size, hash, token)
                        .ConfigureAwait(false);
            }
            else
            {
                System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(item.Failure!).Throw();
            }

            await m_recreate.Transaction.CommitAsync("CommitRecreateDb", true, token).ConfigureAwait(false);
            progress.Advance("index volumes", kept + done, total);
        }
    }

    // Without space nothing more can be fetched, which is not the volume's fault; nor is a folder that does not answer, which fails here.
    private async Task<bool> IsReadableElsewhereAsync(Exception failure, CancellationToken token)
    {
        if (failure is VolumeException volume)
            return await IsOfOneVolumeAsync(volume, token).ConfigureAwait(false);
        if (failure is not IOException || DiskSpace.IsExhausted(failure))
            return false;
        await folder.ListAsync(token).ConfigureAwait(false);
        return true;
    }

    private Task LogAsync(RemoteFile file, CancellationToken token) => m_recreate.LogRemoteOperationAsync("get", file.Name, null, token);
}
