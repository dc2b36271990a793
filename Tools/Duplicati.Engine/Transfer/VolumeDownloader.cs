using Duplicati.Engine.Diagnostics;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Transfer;

/// <summary>Fetches volumes into temporary files, checks them against what the database expects, and decrypts them. Safe for concurrent use.</summary>
internal sealed class VolumeDownloader(IRemoteFolder folder, string? passphrase, string temporaryFolder)
{
    private long m_serial;

    /// <summary>A fetched volume.</summary>
    /// <param name="Content">The decrypted zip, seekable, at its start. Closed and removed with this object.</param>
    /// <param name="Path">The fetched file.</param>
    /// <param name="Hash">File hash of what lay in the folder, Base64.</param>
    /// <param name="Length">Bytes in the folder.</param>
    internal sealed record Download(Stream Content, string Path, string Hash, long Length) : IDisposable
    {
        public void Dispose()
        {
            Content.Dispose();
            File.Delete(Path);
        }
    }

    /// <summary>Fetches a volume.</summary>
    /// <param name="fileName">Its file name.</param>
    /// <param name="algorithm">The file hash function.</param>
    /// <param name="expectedHash">What the hash must be; null or empty to take any.</param>
    /// <param name="expectedLength">What the length must be; negative to take any.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="VolumeException">The volume differs from what is expected, is encrypted with another passphrase, or is damaged.</exception>
    internal async Task<Download> FetchAsync(string fileName, VolumeHash algorithm, string? expectedHash, long expectedLength, CancellationToken token)
    {
        return await FetchAsync(
            fileName,
            async (name, path) =>
            {
                var (hash, length) = await VolumeOpener.CheckAsync(path, name, algorithm, expectedHash, expectedLength, token).ConfigureAwait(false);
                return new Download(await VolumeOpener.OpenAsync(path, name, passphrase, token).ConfigureAwait(false), path, hash, length);
            },
            token).ConfigureAwait(false);
    }

    /// <summary>Fetches a damaged volume, as far as it can be decrypted. Nothing in it is authenticated.</summary>
    /// <exception cref="VolumeException">Nothing of it can be decrypted.</exception>
    internal Task<Download> FetchDamagedAsync(string fileName, VolumeHash algorithm, CancellationToken token) => FetchAsync(
        fileName,
        async (name, path) =>
        {
            var (hash, length) = await VolumeOpener.CheckAsync(path, name, algorithm, null, -1, token).ConfigureAwait(false);
            return new Download(await VolumeOpener.SalvageAsync(path, name, passphrase, token).ConfigureAwait(false), path, hash, length);
        },
        token);

    private async Task<Download> FetchAsync(string fileName, Func<VolumeName, string, Task<Download>> open, CancellationToken token)
    {
        var name = VolumeName.Parse(fileName) ?? throw new InvalidRemoteNameException(fileName);
        var path = Path.Combine(temporaryFolder, $"get-{Interlocked.Increment(ref m_serial)}");
        try
        {
            using (EngineActivities.Transfer("get", fileName))
                await folder.GetAsync(fileName, path, token).ConfigureAwait(false);
            return await open(name, path).ConfigureAwait(false);
        }
        catch
        {
            File.Delete(path);
            throw;
        }
    }
}
