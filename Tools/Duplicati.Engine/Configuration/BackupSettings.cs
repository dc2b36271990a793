using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Configuration;

/// <summary>The settings of one backup as they hold for it: given, stored in its database, or found in its volumes.</summary>
/// <param name="Format">Sizes and hash functions.</param>
/// <param name="Prefix">First part of volume names.</param>
/// <param name="Passphrase">The passphrase of encrypted volumes, or null.</param>
/// <param name="IsVolumeSizeChosen">Whether somebody chose the size of volumes. Only then is it stored: Duplicati refuses a backup with another size than the stored one.</param>
internal sealed record BackupSettings(VolumeFormat Format, string Prefix, string? Passphrase, bool IsVolumeSizeChosen)
{
    /// <summary>The extension part of encrypted volume names, or null.</summary>
    internal string? Encryption => Passphrase is null ? null : "aes";

    /// <summary>Bytes in a block.</summary>
    internal int BlockSize => (int)Format.Blocksize;

    /// <summary>Bytes in a block digest.</summary>
    internal int DigestSize => Format.BlockHash.DigestSize;
}
