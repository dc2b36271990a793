// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Opens one of the smallest volumes of a backup before anything is uploaded or deleted: volumes of another passphrase, or of another size
/// of blocks, could not be read together with those that are there.
/// </summary>
/// <param name="database">The database.</param>
/// <param name="databasePath">What it is called.</param>
/// <param name="settings">The settings that would be used.</param>
/// <param name="folder">The remote folder.</param>
/// <param name="progress">Told of volumes that tell nothing.</param>
internal sealed class SettingsProof(
    LocalDatabase database,
    string databasePath,
    BackupSettings settings,
    IRemoteFolder folder,
    IEngineProgress progress
)
{
    // More than could be damaged in their heads and still be a backup.
    private const int MostProofs = 10;

    private bool m_isTried;
    private Exception? m_failure;

    /// <summary>
    /// Open a volume also where the tables tell enough; their connection is not asked for that then, as that takes the lock to write.
    /// </summary>
    internal bool Always { get; init; }

    /// <summary>Proves the settings, once; without a volume where the tables tell enough, or know none.</summary>
    /// <param name="missing">Volumes that are not there, or not whole.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help id <c>WrongPassphrase</c>, or the error of the last volume if none tells
    /// anything.</exception>
    /// <exception cref="DamagedSettingException">The volume was made with other settings than the database has.</exception>
    internal async Task RequireAsync(IEnumerable<RemoteVolumeEntry> missing, CancellationToken token)
    {
        if (await TryAsync(missing, token).ConfigureAwait(false) is { } failure)
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(failure).Throw();
    }

    /// <summary>The same for who can go on without a proof: fails only if a volume says that the settings are wrong.</summary>
    /// <returns>The error of the last volume if none tells anything.</returns>
    internal async Task<Exception?> TryAsync(IEnumerable<RemoteVolumeEntry> missing, CancellationToken token)
    {
        if (m_isTried || (!Always && settings.Passphrase is null && StoredSettings.TellBlockSize(database.Connection)))
            return m_failure;

        m_failure = await OpenAnyAsync(missing, token).ConfigureAwait(false);
        m_isTried = true;
        return m_failure;
    }

    private async Task<Exception?> OpenAnyAsync(IEnumerable<RemoteVolumeEntry> missing, CancellationToken token)
    {
        using var temporary = new TemporaryFolder();
        var downloader = new VolumeDownloader(folder, settings, temporary.Path);
        var absent = missing.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        var known = await database
            .GetRemoteVolumesAsync(token)
            .Where(x => x.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified && !absent.Contains(x.Name))
            .ToListAsync(token)
            .ConfigureAwait(false);
        Exception? last = null;
        WrongPassphraseException? wrong = null;
        DamagedSettingException? other = null;
        foreach (var volume in known.OrderBy(x => x.Size).Take(MostProofs))
        {
            try
            {
                if (await TellsAsync(downloader, volume, token).ConfigureAwait(false) || other is null)
                    return null;
            }
            catch (WrongPassphraseException ex)
            {
                wrong = ex;
            }
            catch (DamagedSettingException ex)
            {
                // It may be of another backup in the same folder.
                other ??= ex;
            }
            catch (Exception ex) when (ex is VolumeException or RemoteFileException)
            {
                last = ex;
                progress.Message($"{volume.Name} does not tell whether the settings are right");
            }
        }

        if (other is not null)
            throw other;
        return wrong is null
            ? last
            : throw new UserInformationException(
                $"The passphrase does not open {wrong.Volume}, a volume of the backup of {databasePath}; nothing was uploaded or deleted. {Advice.GivePassphrase()} {Advice.NewBackup()}",
                "WrongPassphrase",
                wrong
            );
    }

    // Whether it does more than open.
    private async Task<bool> TellsAsync(VolumeDownloader downloader, RemoteVolumeEntry volume, CancellationToken token)
    {
        using var download = await downloader.FetchAsync(volume.Name, token).ConfigureAwait(false);
        // One that is not as it was uploaded opens, but its manifest may be anything.
        if (download.Hash != volume.Hash)
            return false;
        using var archive = VolumeArchive.Open(download.Content, volume.Name);
        var (format, manifest) = (settings.Format, archive.Manifest);
        Same("blocksize", format.Blocksize, manifest.Blocksize, volume.Name);
        Same("blockhash", format.BlockHash, VolumeHash.Find(manifest.BlockHash), volume.Name);
        Same("filehash", format.FileHash, VolumeHash.Find(manifest.FileHash), volume.Name);
        return true;
    }

    private void Same(string key, object stored, object? found, string volume)
    {
        if (found is not null && !stored.Equals(found))
            throw new DamagedSettingException(databasePath, $"its setting {key} is {stored}, but {volume} was made with {found}");
    }
}
