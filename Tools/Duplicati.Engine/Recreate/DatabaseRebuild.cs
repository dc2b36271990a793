using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Recreate;

/// <summary>The steps of a recreate in upstream's order (contract B, section 4.2), on an open, empty database.</summary>
internal sealed class DatabaseRebuild(EngineOptions options, IEngineProgress progress, LocalDatabase database, IRemoteFolder folder, string temporaryFolder)
{
    private readonly VolumeDownloader m_downloader = new(folder, options.Passphrase, temporaryFolder);
    private VolumeFormat m_format = new() { CompressionLevel = options.CompressionLevel };
    private List<RemoteFile> m_listed = [];
    private int m_filelists;
    private int m_indexes;
    private int m_blockVolumes;
    private int m_problems;

    // A parsed index volume is in memory as a whole, about 40 bytes a block, and twice as many wait as are being parsed.
    private int IndexesInFlight => ConnectionPreset.Find(options.Preset) == ConnectionPreset.Small ? 1 : Math.Max(1, options.Parallelism);

    internal async Task<RecreateReport> RunAsync(CancellationToken token)
    {
        var recreate = await LocalRecreateDatabase.CreateAsync(database, options.ToCoreOptions(), null, token).ConfigureAwait(false);
        await using (recreate.ConfigureAwait(false))
        {
            await recreate.RepairInProgressAsync(token, true).ConfigureAwait(false);
            await RegisterAsync(recreate, token).ConfigureAwait(false);
            await LoadFilelistsAsync(recreate, token).ConfigureAwait(false);
            await LoadIndexesAsync(recreate, token).ConfigureAwait(false);
            await recreate.CleanupMissingVolumesAsync(token).ConfigureAwait(false);
            await recreate.FindMissingBlocklistHashesAsync(m_format.BlockHash.DigestSize, m_format.Blocksize, token).ConfigureAwait(false);
            await LoadBlockVolumesAsync(recreate, token).ConfigureAwait(false);
            await recreate.CleanupDeletedBlocksAsync(token).ConfigureAwait(false);
            await recreate.CleanupMissingVolumesAsync(token).ConfigureAwait(false);
            if (options.StoreMetadataContent)
                await new MetadataContentLoader(recreate, m_downloader, m_format, progress).LoadAsync(token).ConfigureAwait(false);
            await CheckAsync(recreate, token).ConfigureAwait(false);
        }

        return new RecreateReport(m_filelists, m_indexes, m_blockVolumes, m_problems);
    }

    private async Task RegisterAsync(LocalRecreateDatabase recreate, CancellationToken token)
    {
        progress.Message("Listing remote folder");
        var all = await folder.ListAsync(token).ConfigureAwait(false);
        m_listed = [.. all.Where(x => VolumeName.Parse(x.Name) is { IsParityCompanion: false } name && name.Prefix == options.Prefix).OrderBy(x => x.Name, StringComparer.Ordinal)];
        if (m_listed.Count == 0)
        {
            throw all.Any(x => VolumeName.Parse(x.Name) is not null)
                ? new UserInformationException($"No files of the prefix {options.Prefix} were found at {options.Remote}; other prefixes are there.", "EmptyRemoteLocationWithPrefix")
                : new UserInformationException($"No files were found at {options.Remote}; check the address.", "EmptyRemoteLocation");
        }

        if (options.Passphrase is null && m_listed.Any(x => VolumeName.Parse(x.Name)!.Encryption is not null))
            throw new UserInformationException("The backup is encrypted; give its passphrase with --passphrase-env or --passphrase-file.", "MissingPassphrase");
        if (!Of(RemoteVolumeType.Files).Any())
            throw new UserInformationException($"No file lists were found at {options.Remote}; without them nothing can be recreated.", "EmptyRemoteLocation");

        folder.Prefetch(Of(RemoteVolumeType.Files).OrderBy(x => VolumeName.Parse(x.Name)!.Time).Concat(Of(RemoteVolumeType.Index)).Select(x => (x.Name, x.Size)));
        foreach (var file in m_listed)
            await recreate.RegisterRemoteVolumeAsync(file.Name, VolumeName.Parse(file.Name)!.Type, file.Size, RemoteVolumeState.Uploaded, token).ConfigureAwait(false);
    }

    private IEnumerable<RemoteFile> Of(RemoteVolumeType type) => m_listed.Where(x => VolumeName.Parse(x.Name)!.Type == type);

    private async Task LoadFilelistsAsync(LocalRecreateDatabase recreate, CancellationToken token)
    {
        var filelists = Of(RemoteVolumeType.Files).OrderBy(x => VolumeName.Parse(x.Name)!.Time).ToList();
        foreach (var file in filelists)
        {
            try
            {
                await LoadFilelistAsync(recreate, file, token).ConfigureAwait(false);
                m_filelists++;
            }
            catch (VolumeException ex) when (ex is not (WrongPassphraseException or MissingPassphraseException) || m_filelists > 0)
            {
                m_problems++;
                progress.Warning($"Failed to process {file.Name}: {ex.Message}");
            }

            progress.Advance("file lists", m_filelists, filelists.Count);
        }

        if (m_filelists > 0)
            await SettingsStore.StoreAsync(recreate, new BackupSettings(m_format, options.Prefix, options.Passphrase, options.VolumeSize is not null), Of(RemoteVolumeType.Files).Any(x => VolumeName.Parse(x.Name)!.Encryption is not null), token).ConfigureAwait(false);
        await recreate.Transaction.CommitAsync("CommitUpdateFilesetFromRemote", true, token).ConfigureAwait(false);
    }

    private async Task LoadFilelistAsync(LocalRecreateDatabase recreate, RemoteFile file, CancellationToken token)
    {
        progress.Working($"Reading {file.Name}");
        using var download = await m_downloader.FetchAsync(file.Name, m_format.FileHash, null, -1, token).ConfigureAwait(false);
        using var filelist = FilelistReader.Open(download.Content, file.Name);
        if (m_filelists == 0)
            m_format = Adopt(filelist.Manifest, file.Name);
        var (hash, _) = await VolumeOpener.CheckAsync(download.Path, VolumeName.Parse(file.Name)!, m_format.FileHash, null, -1, token).ConfigureAwait(false);
        filelist.Manifest.Require(file.Name, m_format.Blocksize, m_format.BlockHash, m_format.FileHash);
        await LogAsync(recreate, file, token).ConfigureAwait(false);
        await recreate.UpdateRemoteVolumeAsync(file.Name, RemoteVolumeState.Verified, file.Size, hash, token).ConfigureAwait(false);
        var volumeId = await recreate.GetRemoteVolumeIDAsync(file.Name, token).ConfigureAwait(false);
        var filesetId = await recreate.CreateFilesetAsync(volumeId, VolumeName.Parse(file.Name)!.Time, token).ConfigureAwait(false);
        var loader = new FilelistLoader(recreate, m_format, progress);
        try
        {
            await loader.LoadAsync(filelist, filesetId, token).ConfigureAwait(false);
        }
        catch (VolumeException)
        {
            // What could be read is kept, but nobody must take it for the whole version.
            await recreate.UpdateFullBackupStateInFilesetAsync(filesetId, false, token).ConfigureAwait(false);
            throw;
        }
    }

    // What the user gave must fit; what was not given is taken from the first file list, as upstream does.
    private VolumeFormat Adopt(VolumeManifest manifest, string volume)
    {
        var format = m_format.Adopt(manifest, volume);
        if (options.VolumeSize is { } size)
            format = format with { VolumeSize = size };
        if (options.BlockSize is { } given && given != format.Blocksize)
            throw new UserInformationException($"The backup was made with a block size of {format.Blocksize} bytes, {given} was given; leave it out.", "InvalidManifest");
        return format;
    }

    private async Task LoadIndexesAsync(LocalRecreateDatabase recreate, CancellationToken token)
    {
        var files = Of(RemoteVolumeType.Index).ToList();
        var loader = new IndexLoader(recreate, progress);
        var feed = new IndexFeed(m_downloader, m_format, IndexesInFlight);
        await foreach (var item in feed.ReadAsync(files, token).ConfigureAwait(false))
        {
            if (item.Index is { } index)
            {
                await loader.LoadAsync(index, token).ConfigureAwait(false);
                await LogAsync(recreate, item.File, token).ConfigureAwait(false);
                m_indexes++;
            }
            else if (item.Failure is VolumeException or IOException)
            {
                m_problems++;
                progress.Warning($"Failed to process {item.File.Name}: {item.Failure.Message}");
                // The file is the one that was uploaded as far as anyone knows; what is in it comes from the block volumes.
                if (item.Hash is { } hash)
                    await recreate.UpdateRemoteVolumeAsync(item.File.Name, RemoteVolumeState.Verified, item.File.Size, hash, token).ConfigureAwait(false);
            }
            else
            {
                System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(item.Failure!).Throw();
            }

            progress.Advance("index volumes", m_indexes, files.Count);
        }

        await recreate.Transaction.CommitAsync("CommitRecreateDb", true, token).ConfigureAwait(false);
    }

    private async Task LoadBlockVolumesAsync(LocalRecreateDatabase recreate, CancellationToken token)
    {
        var loader = new BlockVolumeLoader(recreate, m_downloader, m_format);
        for (var pass = 0; pass < 3; pass++)
        {
            var volumes = await recreate.GetMissingBlockListVolumesAsync(pass, m_format.Blocksize, m_format.BlockHash.DigestSize, false, token).ToListAsync(token).ConfigureAwait(false);
            BlockVolumeReasons.Tell(progress, volumes, pass);
            folder.Prefetch(volumes.Select(x => (x.Name, x.Size)));
            for (var i = 0; i < volumes.Count; i++)
            {
                await LoadBlockVolumeAsync(recreate, loader, volumes[i], token).ConfigureAwait(false);
                progress.Advance("block volumes", i + 1, volumes.Count);
            }
        }
    }

    private async Task LoadBlockVolumeAsync(LocalRecreateDatabase recreate, BlockVolumeLoader loader, IRemoteVolume volume, CancellationToken token)
    {
        try
        {
            if (await loader.LoadAsync(volume, token).ConfigureAwait(false))
                await recreate.FindMissingBlocklistHashesAsync(m_format.BlockHash.DigestSize, m_format.Blocksize, token).ConfigureAwait(false);
            await recreate.LogRemoteOperationAsync("get", volume.Name, null, token).ConfigureAwait(false);
            m_blockVolumes++;
        }
        catch (Exception ex) when (ex is VolumeException or IOException or InvalidDataException)
        {
            m_problems++;
            progress.Warning($"Failed to process {volume.Name}: {ex.Message}");
            await SalvageAsync(recreate, loader, volume, token).ConfigureAwait(false);
        }

        await recreate.Transaction.CommitAsync("CommitRestoredBlocklist", true, token).ConfigureAwait(false);
    }

    private async Task SalvageAsync(LocalRecreateDatabase recreate, BlockVolumeLoader loader, IRemoteVolume volume, CancellationToken token)
    {
        try
        {
            if (await loader.LoadDamagedAsync(volume, token).ConfigureAwait(false))
                await recreate.FindMissingBlocklistHashesAsync(m_format.BlockHash.DigestSize, m_format.Blocksize, token).ConfigureAwait(false);
        }
        catch (Exception ex) when (ex is VolumeException or RemoteException or IOException)
        {
            progress.Warning($"Nothing of {volume.Name} can be read: {ex.Message}");
        }
    }

    private async Task CheckAsync(LocalRecreateDatabase recreate, CancellationToken token)
    {
        progress.Message("Recreate completed, checking the database");
        var broken = await LocalListBrokenFilesDatabase.CreateAsync(recreate, null, token).ConfigureAwait(false);
        await using (broken.ConfigureAwait(false))
        {
            var count = await broken.GetBrokenFilesetsAsync(new DateTime(0), null, token).CountAsync(token).ConfigureAwait(false);
            if (count != 0)
                throw new UserInformationException($"The recreated database has missing blocks and {count} broken file lists. {Advice.LostBlocks()}", "DatabaseIsBrokenConsiderPurge");
        }

        await recreate.VerifyConsistencyAsync(m_format.Blocksize, m_format.BlockHash.DigestSize, true, token).ConfigureAwait(false);
        await recreate.RepairInProgressAsync(token, false).ConfigureAwait(false);
    }

    private static Task LogAsync(LocalRecreateDatabase recreate, RemoteFile file, CancellationToken token) =>
        recreate.LogRemoteOperationAsync("get", file.Name, null, token);
}
