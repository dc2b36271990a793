// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;

namespace Duplicati.Engine.Volumes;

/// <summary>A hash algorithm as manifests name it, with one-shot and streaming use. Safe for concurrent use.</summary>
public sealed class VolumeHash
{
    /// <summary>The longest digest of all known algorithms, bytes.</summary>
    public const int MAX_DIGEST_SIZE = 64;

    private const int STREAM_BUFFER_SIZE = 128 * 1024;

    private static readonly VolumeHash[] s_known =
    [
        new("MD5", HashAlgorithmName.MD5, 16),
        new("SHA1", HashAlgorithmName.SHA1, 20),
        new("SHA256", HashAlgorithmName.SHA256, 32),
        new("SHA384", HashAlgorithmName.SHA384, 48),
        new("SHA512", HashAlgorithmName.SHA512, 64),
    ];

    private VolumeHash(string name, HashAlgorithmName algorithm, int digestSize)
    {
        Name = name;
        Algorithm = algorithm;
        DigestSize = digestSize;
    }

    /// <summary>The default of backups.</summary>
    public static VolumeHash Sha256 => s_known[2];

    /// <summary>Every algorithm backups can be made with.</summary>
    public static IReadOnlyList<VolumeHash> Known => s_known;

    /// <summary>The name as manifests and options spell it, for example <c>SHA256</c>.</summary>
    public string Name { get; }

    /// <summary>The name as the cryptography classes spell it.</summary>
    public HashAlgorithmName Algorithm { get; }

    /// <summary>The length of a digest, bytes.</summary>
    public int DigestSize { get; }

    /// <summary>Looks an algorithm up, in any case.</summary>
    /// <param name="name">The name.</param>
    /// <returns>The algorithm, null if it is not known.</returns>
    public static VolumeHash? Find(string? name) =>
        Array.Find(s_known, known => string.Equals(known.Name, name, StringComparison.OrdinalIgnoreCase));

    /// <summary>Hashes bytes in memory.</summary>
    /// <param name="data">The bytes.</param>
    /// <param name="digest">Takes the digest, at least <see cref="DigestSize"/> long.</param>
    public void Hash(ReadOnlySpan<byte> data, Span<byte> digest) => CryptographicOperations.HashData(Algorithm, data, digest);

    /// <summary>Hashes bytes in memory.</summary>
    /// <param name="data">The bytes.</param>
    /// <returns>The digest in Base64, as stored in the database.</returns>
    public string HashToBase64(ReadOnlySpan<byte> data)
    {
        Span<byte> digest = stackalloc byte[MAX_DIGEST_SIZE];
        Hash(data, digest);
        return Convert.ToBase64String(digest[..DigestSize]);
    }

    /// <summary>Hashes a stream from its position to its end in constant memory.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="token">Cancels the reading.</param>
    /// <returns>The digest in Base64 and the bytes read.</returns>
    public async Task<(string Hash, long Length)> HashAsync(Stream stream, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(stream);
        using var hash = Start();
        var buffer = new byte[STREAM_BUFFER_SIZE];
        long length = 0;
        int read;
        while ((read = await stream.ReadAsync(buffer, token).ConfigureAwait(false)) > 0)
        {
            hash.AppendData(buffer, 0, read);
            length += read;
        }

        return (Convert.ToBase64String(hash.GetHashAndReset()), length);
    }

    /// <summary>Starts a hash over data that comes in parts.</summary>
    /// <returns>The running hash, to be disposed.</returns>
    public IncrementalHash Start() => IncrementalHash.CreateHash(Algorithm);

    /// <inheritdoc/>
    public override string ToString() => Name;
}
