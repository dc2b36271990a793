// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Diagnostics;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Fetches volumes into memory or temporary files, checks them against what the database expects, and decrypts them. Safe for concurrent
/// use.
/// </summary>
/// <remarks>
/// A volume of a folder of this machine is read into memory, as long as <see cref="VolumeMemory"/> has some. It is not read where it lies:
/// what was checked must be what is used, also if the disk gives something else the next time.
/// </remarks>
internal sealed class VolumeDownloader(IRemoteFolder folder, string? passphrase, string temporaryFolder, VolumeMemory? memory = null)
{
    private readonly VolumeMemory m_memory = memory ?? VolumeMemory.OfPreset();
    private MisplacedContents? m_misplaced;
    private long m_serial;

    /// <param name="folder">The folder.</param>
    /// <param name="settings">Those of the backup.</param>
    /// <param name="temporaryFolder">Takes what is fetched.</param>
    internal VolumeDownloader(IRemoteFolder folder, BackupSettings settings, string temporaryFolder)
        : this(folder, settings.Passphrase, temporaryFolder) => Algorithm = settings.Format.FileHash;

    /// <summary>The file hash function.</summary>
    internal VolumeHash Algorithm { get; set; } = VolumeHash.Sha256;

    /// <summary>
    /// Told of volumes whose content lies under another name, where it is then taken from; null where they shall be errors.
    /// </summary>
    internal IEngineProgress? Searching { get; init; }

    /// <summary>
    /// Whether a volume that the folder keeps back fails as a damaged one does (<see cref="KeptBackVolumeException"/>): for a database
    /// that is thrown away, so that nobody takes for lost for good what it holds.
    /// </summary>
    internal bool GoesOnWithoutKeptBack { get; init; }

    /// <summary>A fetched volume.</summary>
    /// <param name="Content">The decrypted zip, seekable, at its start. Closed with this object.</param>
    /// <param name="Volume">What was fetched. Disposed of with this object.</param>
    /// <param name="Hash">File hash of what lay in the folder, Base64.</param>
    /// <param name="Length">Bytes in the folder.</param>
    internal sealed record Download(Stream Content, FetchedVolume Volume, string Hash, long Length) : IDisposable
    {
        public void Dispose()
        {
            Content.Dispose();
            Volume.Dispose();
        }
    }

    /// <summary>Fetches a volume, of whatever hash and length.</summary>
    /// <exception cref="VolumeException">It is encrypted with another passphrase, or damaged.</exception>
    internal Task<Download> FetchAsync(string fileName, CancellationToken token) => FetchAsync(fileName, null, -1, token);

    /// <summary>Fetches a volume.</summary>
    /// <param name="fileName">Its file name.</param>
    /// <param name="expectedHash">What the hash must be; null or empty to take any.</param>
    /// <param name="expectedLength">What the length must be; negative to take any.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="VolumeException">The volume differs from what is expected, is encrypted with another passphrase, or is
    /// damaged.</exception>
    internal Task<Download> FetchAsync(string fileName, string? expectedHash, long expectedLength, CancellationToken token) =>
        FetchAsync(fileName, expectedHash, expectedLength, isDamaged: false, token);

    /// <summary>
    /// Fetches a damaged volume, as far as it can be read and decrypted. Nothing in it is authenticated. Of a folder of this machine, zeros
    /// are in the place of what the disk cannot read.
    /// </summary>
    /// <exception cref="VolumeException">Nothing of it can be read or decrypted.</exception>
    internal Task<Download> FetchDamagedAsync(string fileName, CancellationToken token) =>
        FetchAsync(fileName, null, -1, isDamaged: true, token);

    /// <summary>The file hash of a file of the folder, of whatever name, Base64.</summary>
    internal async Task<string> HashAsync(string fileName, CancellationToken token)
    {
        using var file = await FetchAsync(fileName, isDamaged: false, token).ConfigureAwait(false);
        var content = file.Open();
        await using var contentScope = content.ConfigureAwait(false);
        return (await Algorithm.HashAsync(content, token).ConfigureAwait(false)).Hash;
    }

    /// <summary>What lies under other names; the same for all that it is asked for, so that each file is read once.</summary>
    internal MisplacedContents Misplaced =>
        m_misplaced ?? Interlocked.CompareExchange(ref m_misplaced, new MisplacedContents(folder, this), null) ?? m_misplaced;

    private async Task<Download> FetchAsync(
        string fileName,
        string? expectedHash,
        long expectedLength,
        bool isDamaged,
        CancellationToken token
    )
    {
        var name = VolumeName.Parse(fileName) ?? throw new InvalidRemoteNameException(fileName);
        try
        {
            return await FromAsync(fileName).ConfigureAwait(false);
        }
        catch (Exception ex)
            when (Searching is not null
                && ex is VolumeChangedException or RemoteFileMissingException
                && expectedLength >= 0
                && !string.IsNullOrEmpty(expectedHash)
            )
        {
            if (await Misplaced.FindAsync(fileName, expectedHash, expectedLength, null, null, token).ConfigureAwait(false) is not { } other)
                throw;
            Searching.Warning($"{fileName} is missing or has another content; what was uploaded under this name is read from {other}");
            return await FromAsync(other).ConfigureAwait(false);
        }

        async Task<Download> FromAsync(string file)
        {
            FetchedVolume volume;
            try
            {
                volume = await FetchAsync(file, isDamaged, token).ConfigureAwait(false);
            }
            catch (RemoteFileUnreadableException ex) when (GoesOnWithoutKeptBack)
            {
                throw new KeptBackVolumeException(file, ex);
            }

            try
            {
                var (hash, length) = await VolumeOpener
                    .CheckAsync(volume.Open, name, Algorithm, expectedHash, expectedLength, token)
                    .ConfigureAwait(false);
                return new Download(
                    await VolumeOpener.OpenAsync(volume.Open, name, passphrase, isDamaged, token).ConfigureAwait(false),
                    volume,
                    hash,
                    length
                );
            }
            catch
            {
                volume.Dispose();
                throw;
            }
        }
    }

    private async Task<FetchedVolume> FetchAsync(string fileName, bool isDamaged, CancellationToken token)
    {
        using var activity = EngineActivities.Transfer("get", fileName);
        var path = Path.Combine(temporaryFolder, $"get-{Interlocked.Increment(ref m_serial)}");
        var isOpened = false;
        LocalVolume? source = null;
        FetchedVolume? volume = null;
        try
        {
            using var local = folder.OpenLocal(fileName);
            isOpened = true;
            if (local is null)
            {
                await folder.GetAsync(fileName, path, token).ConfigureAwait(false);
                return FetchedVolume.InFile(path);
            }

            source = new LocalVolume(local, isDamaged);
            volume =
                await FetchedVolume.TryReadAsync(source, m_memory, token).ConfigureAwait(false)
                ?? await FetchedVolume.CopyAsync(source, path, token).ConfigureAwait(false);
            // Of a disk that went away meanwhile it would be all zeros from there on.
            if (source.HasGaps)
                await folder.ListAsync(token).ConfigureAwait(false);
            return volume;
        }
        catch (Exception ex)
        {
            volume?.Dispose();
            File.Delete(path);
            // What comes through a program gives no error but its own: any other than of opening and reading is of the temporary file.
            var isBad = DiskSpace.IsBad(ex) && (!isOpened || ex == source?.Failure);
            if (!isBad && ex is not RemoteException || ex is RemoteFileException or RemoteFolderMissingException)
                throw;
            // A folder that does not answer says nothing of its files: this fails, then.
            await folder.ListAsync(token).ConfigureAwait(false);
            if (isBad)
                throw new CorruptVolumeException(fileName, $"The disk cannot read it ({ex.Message.TrimEnd('.')}).", ex);
            throw new RemoteFileUnreadableException(folder.Address, fileName, ex);
        }
    }
}

/// <summary>A volume that the folder keeps back, for whoever can go on without it as without a damaged one.</summary>
internal sealed class KeptBackVolumeException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="cause">What the folder said.</param>
    internal KeptBackVolumeException(string volume, RemoteFileUnreadableException cause)
        : base(volume, cause.What, RemoteFileUnreadableException.REMEDY, cause.HelpID, cause) { }
}
