// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Encryption;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Makes a finished volume ready for upload: encrypts it if its name says so, and hashes what will be uploaded. Safe for concurrent use.
/// </summary>
public static class VolumeSealer
{
    private const int BUFFER_SIZE = 128 * 1024;

    /// <summary>Seals a volume.</summary>
    /// <param name="path">The finished zip container. If it is encrypted, the file is replaced by the encrypted one,
    /// <c>path.aes</c>.</param>
    /// <param name="name">The name in the remote folder.</param>
    /// <param name="format">The algorithm of files, and how it is encrypted.</param>
    /// <param name="passphrase">The passphrase; not used for volumes that are not encrypted.</param>
    /// <param name="token">Cancels; the container then stays as it is.</param>
    /// <returns>The file to upload with its hash and size.</returns>
    /// <exception cref="MissingPassphraseException">The name is that of an encrypted volume and no passphrase was given.</exception>
    /// <exception cref="UnsupportedVolumeException">The encryption is not known.</exception>
    public static async Task<SealedVolume> SealAsync(
        string path,
        VolumeName name,
        VolumeFormat format,
        string? passphrase,
        CancellationToken token
    )
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(format);
        switch (name.Encryption)
        {
            case null:
                break;
            case VolumeName.AES when string.IsNullOrEmpty(passphrase):
                throw new MissingPassphraseException(name.FileName);
            case VolumeName.AES:
                path = await EncryptAsync(path, passphrase, format.Aes, token).ConfigureAwait(false);
                break;
            default:
                throw new UnsupportedVolumeException(name.FileName, $"The encryption '{name.Encryption}' is not known.");
        }

        var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.SequentialScan);
        await using var fileScope = file.ConfigureAwait(false);
        var (hash, size) = await format.FileHash.HashAsync(file, token).ConfigureAwait(false);
        return new SealedVolume(name, path, hash, size);
    }

    private static async Task<string> EncryptAsync(string path, string passphrase, AesCryptOptions options, CancellationToken token)
    {
        var sealedPath = path + "." + VolumeName.AES;
        try
        {
            var plain = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.SequentialScan);
            await using var plainScope = plain.ConfigureAwait(false);
            var target = new FileStream(sealedPath, FileMode.Create, FileAccess.Write, FileShare.Read, BUFFER_SIZE);
            await using var targetScope = target.ConfigureAwait(false);
            await AesCryptStreamWriter.EncryptAsync(plain, target, passphrase, options, token).ConfigureAwait(false);
        }
        catch
        {
            File.Delete(sealedPath);
            throw;
        }

        File.Delete(path);
        return sealedPath;
    }
}

/// <summary>A volume ready for upload.</summary>
/// <param name="Name">Its name in the remote folder.</param>
/// <param name="Path">The local file.</param>
/// <param name="Hash">The file hash of that file, Base64.</param>
/// <param name="Size">Its length, bytes.</param>
public sealed record SealedVolume(VolumeName Name, string Path, string Hash, long Size);
