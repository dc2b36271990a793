#nullable enable

using System;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>The blob that stands for metadata without any entry: a byte order mark and an empty JSON object.</summary>
/// <param name="FullHash">Its hash as Base64.</param>
/// <param name="Length">Its bytes.</param>
internal readonly record struct EmptyMetadata(string FullHash, long Length)
{
    private static ReadOnlySpan<byte> Blob => "\uFEFF{}"u8;

    /// <summary>The blob with its hash by a hash function of files.</summary>
    internal static EmptyMetadata Of(string fileHashAlgorithm)
    {
        using var hasher = Digest.Create(fileHashAlgorithm);
        return new EmptyMetadata(Convert.ToBase64String(hasher.ComputeHash(Blob.ToArray())), Blob.Length);
    }
}
