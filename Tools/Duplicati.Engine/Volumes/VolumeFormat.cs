// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Encryption;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>What the volumes of a backup are made with. The defaults are Duplicati's.</summary>
public sealed record VolumeFormat
{
    /// <summary>The smallest block size, bytes.</summary>
    public const long MIN_BLOCKSIZE = 1024;

    /// <summary>
    /// The smallest volume size, bytes. Duplicati's release builds go no lower than 1 MB, its debug builds as low as this.
    /// </summary>
    public const long MIN_VOLUME_SIZE = 10 * 1024;

    /// <summary>The block size, bytes.</summary>
    public long Blocksize { get; init; } = 1024 * 1024;

    /// <summary>The size at which a block volume is closed, bytes.</summary>
    public long VolumeSize { get; init; } = 50 * 1024 * 1024;

    /// <summary>The algorithm of blocks and blocklists.</summary>
    public VolumeHash BlockHash { get; init; } = VolumeHash.Sha256;

    /// <summary>The algorithm of files, metadata and whole volumes.</summary>
    public VolumeHash FileHash { get; init; } = VolumeHash.Sha256;

    /// <summary>How new volumes are packed.</summary>
    public VolumeCompression Compression { get; init; } = new();

    /// <summary>How volumes are encrypted that are encrypted.</summary>
    public AesCryptOptions Aes { get; init; } = new();

    /// <summary>How many hashes a blocklist can hold.</summary>
    public int HashesPerBlocklist => (int)(Blocksize / BlockHash.DigestSize);

    /// <summary>The format that a manifest tells of; volume size and compression keep their values.</summary>
    /// <param name="manifest">The manifest.</param>
    /// <param name="volume">The file name of its volume, for errors.</param>
    /// <exception cref="InvalidManifestException">It names an unknown algorithm or an impossible block size.</exception>
    public VolumeFormat Adopt(VolumeManifest manifest, string volume)
    {
        ArgumentNullException.ThrowIfNull(manifest);
        if (manifest.Blocksize < MIN_BLOCKSIZE || manifest.Blocksize > Array.MaxLength)
            throw new InvalidManifestException(volume, $"The manifest has Blocksize {manifest.Blocksize}, which is impossible.");
        return this with
        {
            Blocksize = manifest.Blocksize,
            BlockHash = Algorithm(manifest.BlockHash, volume),
            FileHash = Algorithm(manifest.FileHash, volume),
        };
    }

    /// <summary>The format of a volume of that name, which tells the module, whatever that of the backup is.</summary>
    /// <param name="name">The name.</param>
    internal VolumeFormat For(VolumeName name) =>
        name.Compression == Compression.Module ? this : this with { Compression = Compression with { Module = name.Compression } };

    private static VolumeHash Algorithm(string name, string volume) =>
        VolumeHash.Find(name) ?? throw new InvalidManifestException(volume, $"The manifest names the unknown hash algorithm '{name}'.");
}
