using System.Text;
using System.Text.Json;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main;

/// <summary>Helpers that need the options of an operation.</summary>
internal static class Utility
{
    /// <summary>Turns metadata into the blob that is stored and its file hash.</summary>
    /// <param name="values">The metadata; may be empty.</param>
    /// <param name="options">Names the file hash algorithm.</param>
    /// <returns>The metadata with its blob: JSON in UTF-8 with a byte order mark (5 bytes when empty).</returns>
    internal static IMetahash WrapMetadata(Dictionary<string, string> values, Options options)
    {
        byte[] blob = [.. Encoding.UTF8.Preamble, .. JsonSerializer.SerializeToUtf8Bytes(values)];
        using var hasher = HashFactory.CreateHasher(options.FileHashAlgorithm);
        return new Metahash(Convert.ToBase64String(hasher.ComputeHash(blob)), blob, values);
    }

    private sealed record Metahash(string FileHash, byte[] Blob, Dictionary<string, string> Values) : IMetahash;
}
