// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Encryption;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>Makes a fetched volume readable: checks its size and hash, decrypts it. Safe for concurrent use.</summary>
internal static class VolumeOpener
{
    /// <summary>Bytes that are read of a volume at a time.</summary>
    internal const int BufferSize = 64 * 1024;

    /// <summary>Opens a volume for reading.</summary>
    /// <param name="open">Opens what was fetched; closed with the result.</param>
    /// <param name="name">Its name in the remote folder, which tells compression and encryption.</param>
    /// <param name="passphrase">The passphrase; not used for volumes that are not encrypted.</param>
    /// <param name="isDamaged">Takes what is left, for a <see cref="SalvageReader"/>; nothing of it is authenticated.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>
    /// The zip or tar container, seekable: the file itself, or its decrypted or unpacked content in memory (up to 4 MB) or in a temporary
    /// file that is gone when the stream is closed. The content was authenticated as a whole.
    /// </returns>
    /// <exception cref="VolumeException">The volume cannot be decrypted, or is of an unknown format.</exception>
    internal static async Task<Stream> OpenAsync(
        Func<Stream> open,
        VolumeName name,
        string? passphrase,
        bool isDamaged,
        CancellationToken token
    )
    {
        ArgumentNullException.ThrowIfNull(name);
        CheckFormat(name);
        var content = open();
        if (name.Encryption is not null)
            content = await DecryptAsync(content, name, passphrase, isDamaged, token).ConfigureAwait(false);
        return name.Compression == VolumeName.ZIP
            ? content
            : await TarPacking.UnpackAsync(content, name, isDamaged, token).ConfigureAwait(false);
    }

    private static async Task<Stream> DecryptAsync(
        Stream volume,
        VolumeName name,
        string? passphrase,
        bool isDamaged,
        CancellationToken token
    )
    {
        await using var volumeScope = volume.ConfigureAwait(false);
        if (string.IsNullOrEmpty(passphrase))
            throw new MissingPassphraseException(name.FileName);
        var plain = Target(volume.Length);
        try
        {
            if (isDamaged)
                await AesCryptStreamReader.SalvageAsync(volume, plain, passphrase, name.FileName, token).ConfigureAwait(false);
            else
                await AesCryptStreamReader.DecryptAsync(volume, plain, passphrase, name.FileName, token).ConfigureAwait(false);
            plain.Position = 0;
            return plain;
        }
        catch
        {
            await plain.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Requires a fetched file to be the one that was uploaded.</summary>
    /// <param name="open">Opens what was fetched.</param>
    /// <param name="name">Its name in the remote folder.</param>
    /// <param name="algorithm">The algorithm of files.</param>
    /// <param name="expectedHash">The recorded hash, Base64; null or empty to check no hash.</param>
    /// <param name="expectedSize">The recorded size, bytes; negative to check no size.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The hash and the size found.</returns>
    /// <exception cref="VolumeChangedException">One of them differs.</exception>
    internal static async Task<(string Hash, long Size)> CheckAsync(
        Func<Stream> open,
        VolumeName name,
        VolumeHash algorithm,
        string? expectedHash,
        long expectedSize,
        CancellationToken token
    )
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(algorithm);
        var volume = open();
        await using var volumeScope = volume.ConfigureAwait(false);
        if (expectedSize >= 0 && volume.Length != expectedSize)
            throw new VolumeChangedException(name.FileName, $"The file has {volume.Length} bytes, {expectedSize} were uploaded.");
        var (hash, size) = await algorithm.HashAsync(volume, token).ConfigureAwait(false);
        if (!string.IsNullOrEmpty(expectedHash) && !string.Equals(hash, expectedHash, StringComparison.Ordinal))
            throw new VolumeChangedException(name.FileName, $"The file has the hash {hash}, {expectedHash} was uploaded.");
        return (hash, size);
    }

    private static void CheckFormat(VolumeName name)
    {
        if (name.IsParityCompanion)
            throw new UnsupportedVolumeException(name.FileName, "The file holds recovery data of a volume.");
        if (!VolumeName.Modules.Contains(name.Compression))
            throw new UnsupportedVolumeException(name.FileName, $"The compression '{name.Compression}' is not known.");
        if (name.Encryption is not null and not VolumeName.AES)
            throw new UnsupportedVolumeException(name.FileName, $"The encryption '{name.Encryption}' is not known.");
    }

    /// <summary>Opens a fetched file for reading.</summary>
    internal static FileStream OpenFile(string path) => new(path, FileMode.Open, FileAccess.Read, FileShare.Read, BufferSize);

    private static Stream Target(long length) =>
        length <= VolumeSpool.MostInMemory ? new MemoryStream((int)length) : VolumeSpool.TemporaryFile();
}
