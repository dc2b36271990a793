using System.Security.Cryptography;

namespace Duplicati.Engine.Configuration;

/// <summary>The settings of one backup as they hold for it: given, stored in its database, or found in its volumes.</summary>
/// <param name="BlockSize">Bytes in a block.</param>
/// <param name="VolumeSize">Bytes at which a block volume is closed.</param>
/// <param name="BlockHash">Name of the hash function of blocks, as manifests spell it.</param>
/// <param name="FileHash">Name of the hash function of files and volumes.</param>
/// <param name="Prefix">First part of volume names.</param>
internal sealed record BackupSettings(int BlockSize, long VolumeSize, string BlockHash, string FileHash, string Prefix)
{
    internal HashAlgorithmName BlockHashName { get; } = new(BlockHash);

    internal HashAlgorithmName FileHashName { get; } = new(FileHash);

    /// <summary>Bytes in a block digest.</summary>
    internal int DigestSize { get; } = Duplicati.Library.Utility.HashFactory.HashSizeBytes(BlockHash);

    /// <summary>Digests that fit in a blocklist.</summary>
    internal int HashesPerBlock { get; } = BlockSize / Duplicati.Library.Utility.HashFactory.HashSizeBytes(BlockHash);
}
