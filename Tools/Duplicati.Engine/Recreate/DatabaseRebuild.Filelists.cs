// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.ExceptionServices;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

// The file lists.
internal sealed partial class DatabaseRebuild
{
    /// <summary>How many lists could not be read, of which nothing could be taken.</summary>
    internal int UnreadLists { get; private set; }

    /// <summary>How many volumes are of another backup, or are kept back.</summary>
    internal int Others { get; private set; }

    private async Task LoadFilelistsAsync(CancellationToken token)
    {
        var filelists = m_plan.Filelists();
        var open = m_plan.Open(filelists).ToList();
        m_newestList = filelists.LastOrDefault()?.Name;
        var damaged = new List<RemoteFile>();
        VolumeException? last = null;
        foreach (var file in open)
            await LoadOneAsync(file, isAgain: false).ConfigureAwait(false);
        // After all others: what is altered in one must not stand for what whole ones say of the same contents.
        foreach (var file in damaged)
            await LoadOneAsync(file, isAgain: true).ConfigureAwait(false);

        async Task LoadOneAsync(RemoteFile file, bool isAgain)
        {
            try
            {
                if (await LoadFilelistAsync(file, isAgain, token).ConfigureAwait(false))
                    m_filelists++;
                else
                    damaged.Add(file);
            }
            catch (VolumeException ex)
            {
                if (!await IsOfOneVolumeAsync(ex, token).ConfigureAwait(false))
                    ExceptionDispatchInfo.Throw(WithoutAdvice(ex));
                m_problems++;
                CountOther(ex);
                last = ex;
                await AddUnreadVersionAsync(file, token).ConfigureAwait(false);
                progress.Warning($"Failed to process {file.Name}: {WithRemedy(ex)}");
                // What of the next list is taken back must not take this along.
                await m_recreate.Transaction.CommitAsync("CommitFileset", true, token).ConfigureAwait(false);
            }

            progress.Advance("file lists", filelists.Count - open.Count + m_filelists, filelists.Count);
        }

        if (!m_mark.HasFormat && isWanted is null)
            await TakeFormatOfOthersAsync(last, token).ConfigureAwait(false);
        // Nothing to choose files from.
        if (!m_mark.HasFormat && last is not null)
            ExceptionDispatchInfo.Throw(last);
        if (filelists.Count > 0 && isWanted is null)
            await LoadLabelsAsync(filelists[^1], token).ConfigureAwait(false);
        if (m_mark.HasFormat)
        {
            var names = (filelists.Count > 0 ? filelists : m_plan.CheapestOthers(1)).Select(x => VolumeName.Parse(x.Name)!).ToList();
            // New volumes are packed as the newest one.
            var newest = names.FindLast(x => VolumeName.Modules.Contains(x.Compression));
            var format = newest is null ? m_format : m_format.For(newest);
            await SettingsStore
                .StoreAsync(
                    m_recreate,
                    new BackupSettings(format, options.PrefixOrDefault, options.Passphrase, options.VolumeSize is not null),
                    names.Exists(x => x.Encryption is not null),
                    token
                )
                .ConfigureAwait(false);
        }

        await m_recreate.Transaction.CommitAsync("CommitUpdateFilesetFromRemote", true, token).ConfigureAwait(false);
    }

    // The newest list has those of all versions. An interrupted run may have read it.
    private async Task LoadLabelsAsync(RemoteFile newest, CancellationToken token)
    {
        if (m_labels is null && await VersionLabels.AreKnownAsync(m_recreate, token).ConfigureAwait(false))
        {
            try
            {
                using var download = await m_downloader.FetchAsync(newest.Name, token).ConfigureAwait(false);
                using var filelist = FilelistReader.Open(download.Content, newest.Name);
                m_labels = filelist.ReadLabels(progress.Warning);
            }
            catch (VolumeException ex)
            {
                progress.Warning($"No labels of versions were read from {newest.Name}: {ex.Message}");
            }
        }

        if (m_labels is not null)
            await VersionLabels.ApplyAsync(m_recreate, m_labels, progress, token).ConfigureAwait(false);
    }

    // False if it is damaged inside, and nothing was taken of it: a list that is not encrypted may show that by its checksum alone, at its
    // end.
    private async Task<bool> LoadFilelistAsync(RemoteFile file, bool keepsPart, CancellationToken token)
    {
        progress.Working($"Reading {file.Name}");
        using var download = await m_downloader.FetchAsync(file.Name, token).ConfigureAwait(false);
        using var filelist = FilelistReader.Open(download.Content, file.Name);
        if (!m_mark.HasFormat)
            await TakeFormatAsync(filelist.Manifest, file.Name, token).ConfigureAwait(false);
        var (hash, _) = await VolumeOpener
            .CheckAsync(download.Volume.Open, VolumeName.Parse(file.Name)!, m_format.FileHash, null, -1, token)
            .ConfigureAwait(false);
        filelist.Manifest.Require(file.Name, m_format);
        await LogAsync(file, token).ConfigureAwait(false);
        await m_recreate.UpdateRemoteVolumeAsync(file.Name, RemoteVolumeState.Verified, download.Length, hash, token).ConfigureAwait(false);
        var volumeId = await m_recreate.GetRemoteVolumeIDAsync(file.Name, token).ConfigureAwait(false);
        // One that could be read in part before is there already.
        var filesetId = await m_resume.FilesetOfAsync(volumeId, token).ConfigureAwait(false);
        if (filesetId < 0)
            filesetId = await m_recreate.CreateFilesetAsync(volumeId, VolumeName.Parse(file.Name)!.Time, token).ConfigureAwait(false);
        if (file.Name == m_newestList)
            m_labels = filelist.ReadLabels(progress.Warning);
        var refused = new RefusedEntries();
        var loader = new FilelistLoader(m_recreate, m_format, progress, refused, isWanted);
        try
        {
            await loader.LoadAsync(filelist, file.Name, filesetId, token).ConfigureAwait(false);
        }
        catch (VolumeException) when (!keepsPart)
        {
            await m_recreate.Transaction.RollBackAsync(token).ConfigureAwait(false);
            return false;
        }
        catch (VolumeException)
        {
            await RefuseAsync(refused, token).ConfigureAwait(false);
            // What could be read is kept, but nobody must take it for the whole version.
            await m_recreate.UpdateFullBackupStateInFilesetAsync(filesetId, false, token).ConfigureAwait(false);
            throw;
        }

        await RefuseAsync(refused, token).ConfigureAwait(false);
        await m_plan.SetDoneAsync(file.Name, token).ConfigureAwait(false);
        await m_recreate.Transaction.CommitAsync("CommitFileset", true, token).ConfigureAwait(false);
        return true;
    }

    // There is no list that opens: another volume that does tells how all were made.
    private async Task TakeFormatOfOthersAsync(VolumeException? last, CancellationToken token)
    {
        foreach (var file in m_plan.CheapestOthers(FewIndexes))
        {
            try
            {
                using var download = await m_downloader.FetchAsync(file.Name, token).ConfigureAwait(false);
                using var archive = VolumeArchive.Open(download.Content, file.Name);
                await TakeFormatAsync(archive.Manifest, file.Name, token).ConfigureAwait(false);
                return;
            }
            catch (VolumeException ex)
            {
                last = ex;
            }
        }

        if (last is not null)
            ExceptionDispatchInfo.Throw(WithoutAdvice(last));
    }

    private async Task TakeFormatAsync(VolumeManifest manifest, string volume, CancellationToken token)
    {
        m_format = Adopt(manifest, volume);
        m_downloader.Algorithm = m_format.FileHash;
        await StoreAsync(m_mark.With(m_format), token).ConfigureAwait(false);
        await m_recreate.Transaction.CommitAsync("CommitRecreateFormat", true, token).ConfigureAwait(false);
    }

    private void CountOther(Exception failure)
    {
        if (failure is InvalidManifestException { IsOfOther: true } or KeptBackVolumeException)
            Others++;
    }

    // A repair makes a list anew of what the database knows of its version; of one of which nothing is known it could only say so.
    private string WithRemedy(VolumeException failure)
    {
        if (
            failure
                is MissingPassphraseException
                    or UnsupportedVolumeException
                    or InvalidManifestException { IsOfOther: true }
                    or KeptBackVolumeException
            || EmptyVersions.HasEntries(m_recreate, failure.Volume)
        )
            return failure.Message;
        UnreadLists++;
        return $"{failure.What()} {Advice.EmptyVersion(failure.Volume, VolumeName.Parse(failure.Volume)!.Time)}";
    }

    // A version without entries, marked partial: a list without a version would be an inconsistency that no later step mends.
    private async Task AddUnreadVersionAsync(RemoteFile file, CancellationToken token)
    {
        var volumeId = await m_recreate.GetRemoteVolumeIDAsync(file.Name, token).ConfigureAwait(false);
        if (await m_resume.FilesetOfAsync(volumeId, token).ConfigureAwait(false) >= 0)
            return;
        var filesetId = await m_recreate.CreateFilesetAsync(volumeId, VolumeName.Parse(file.Name)!.Time, token).ConfigureAwait(false);
        await m_recreate.UpdateFullBackupStateInFilesetAsync(filesetId, false, token).ConfigureAwait(false);
    }

    // What the user gave must fit; what was not given is taken from the first file list, as upstream does.
    private VolumeFormat Adopt(VolumeManifest manifest, string volume)
    {
        var format = m_format.Adopt(manifest, volume);
        if (options.BlockSize is { } given && given != format.Blocksize)
            throw new UserInformationException(
                $"The backup was made with a block size of {format.Blocksize} bytes, {given} was given; leave it out.",
                "InvalidManifest"
            );
        Same("block hash", options.BlockHash, format.BlockHash);
        Same("file hash", options.FileHash, format.FileHash);
        return format;
    }

    private static void Same(string name, string? given, VolumeHash found)
    {
        if (given is not null && VolumeHash.Find(given) != found)
            throw new UserInformationException(
                $"The backup was made with the {name} {found}, {given} was given; leave it out.",
                "InvalidManifest"
            );
    }
}
