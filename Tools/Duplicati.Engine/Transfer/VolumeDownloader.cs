using Duplicati.Engine.Diagnostics;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Fetches volumes into memory or temporary files, checks them against what the database expects, and decrypts them. Safe for concurrent use.
/// </summary>
/// <remarks>
/// A volume of a folder of this machine is read into memory, as long as <see cref="VolumeMemory"/> has some. It is not read where it lies: what
/// was checked must be what is used, also if the disk gives something else the next time.
/// </remarks>
internal sealed class VolumeDownloader(IRemoteFolder folder, string? passphrase, string temporaryFolder, VolumeMemory? memory = null)
{
    private readonly VolumeMemory m_memory = memory ?? VolumeMemory.OfPreset();
    private long m_serial;

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

    /// <summary>Fetches a volume.</summary>
    /// <param name="fileName">Its file name.</param>
    /// <param name="algorithm">The file hash function.</param>
    /// <param name="expectedHash">What the hash must be; null or empty to take any.</param>
    /// <param name="expectedLength">What the length must be; negative to take any.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="VolumeException">The volume differs from what is expected, is encrypted with another passphrase, or is damaged.</exception>
    internal Task<Download> FetchAsync(string fileName, VolumeHash algorithm, string? expectedHash, long expectedLength, CancellationToken token) =>
        FetchAsync(fileName, algorithm, expectedHash, expectedLength, VolumeOpener.OpenAsync, token);

    /// <summary>Fetches a damaged volume, as far as it can be decrypted. Nothing in it is authenticated.</summary>
    /// <exception cref="VolumeException">Nothing of it can be decrypted.</exception>
    internal Task<Download> FetchDamagedAsync(string fileName, VolumeHash algorithm, CancellationToken token) =>
        FetchAsync(fileName, algorithm, null, -1, VolumeOpener.SalvageAsync, token);

    private async Task<Download> FetchAsync(
        string fileName, VolumeHash algorithm, string? expectedHash, long expectedLength, Func<Func<Stream>, VolumeName, string?, CancellationToken, Task<Stream>> open, CancellationToken token)
    {
        var name = VolumeName.Parse(fileName) ?? throw new InvalidRemoteNameException(fileName);
        var volume = await FetchAsync(fileName, token).ConfigureAwait(false);
        try
        {
            var (hash, length) = await VolumeOpener.CheckAsync(volume.Open, name, algorithm, expectedHash, expectedLength, token).ConfigureAwait(false);
            return new Download(await open(volume.Open, name, passphrase, token).ConfigureAwait(false), volume, hash, length);
        }
        catch
        {
            volume.Dispose();
            throw;
        }
    }

    private async Task<FetchedVolume> FetchAsync(string fileName, CancellationToken token)
    {
        using var activity = EngineActivities.Transfer("get", fileName);
        using (var local = folder.OpenLocal(fileName))
        {
            if (local is not null && await FetchedVolume.TryReadAsync(local, m_memory, token).ConfigureAwait(false) is { } volume)
                return volume;
        }

        var path = Path.Combine(temporaryFolder, $"get-{Interlocked.Increment(ref m_serial)}");
        try
        {
            await folder.GetAsync(fileName, path, token).ConfigureAwait(false);
            return FetchedVolume.InFile(path);
        }
        catch
        {
            File.Delete(path);
            throw;
        }
    }
}
