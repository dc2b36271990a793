// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// Whether what an entry of a file list says can be so. One that cannot would end a recreate as inconsistent, or have it look through all
/// volumes for blocks that nobody has.
/// </summary>
internal sealed class FilelistEntryCheck(VolumeFormat format)
{
    // Of a file of 2 GB with blocks of 1 KB, and of 20 TB with blocks of 100 KB.
    private const int MostTogether = 65536;

    private readonly bool m_isOneHash = format.BlockHash == format.FileHash;
    private readonly string m_emptyHash = format.FileHash.HashToBase64([]);

    /// <summary>The file list, for errors.</summary>
    internal string Volume { get; set; } = "";

    /// <summary>What is wrong with an entry besides its path and its lists of blocks, or null.</summary>
    internal string? Problem(FilelistEntry entry) => Metadata(entry) ?? (entry.Type == FilelistEntryType.File ? File(entry) : null);

    /// <summary>Number of lists of blocks that a content of a size has.</summary>
    internal long ExpectedBlocklists(long size)
    {
        var blocks = size <= 0 ? 0 : ((size - 1) / format.Blocksize) + 1;
        return blocks <= 1 ? 0 : ((blocks - 1) / format.HashesPerBlocklist) + 1;
    }

    /// <summary>The lists of blocks of a file, which are read from the volume.</summary>
    /// <exception cref="ImpossibleEntryException">They cannot be those of the file.</exception>
    /// <exception cref="CorruptVolumeException">While enumerating: the same, of a file with very many of them.</exception>
    internal IEnumerable<string> Blocklists(FilelistEntry entry)
    {
        var hashes = entry.BlocklistHashes!.GetEnumerator();
        var together = new List<string>();
        try
        {
            while (together.Count < MostTogether && hashes.MoveNext())
                together.Add(hashes.Current);
        }
        catch (CorruptVolumeException ex)
        {
            throw new ImpossibleEntryException(ex.Problem);
        }

        if (together.Count < MostTogether)
        {
            hashes.Dispose();
            return (Count(entry, together.Count) ?? Hashes(together)) is { } problem
                ? throw new ImpossibleEntryException(problem)
                : together;
        }

        return Rest(entry, together, hashes);
    }

    /// <summary>The hash of the block that a content of one block is, where the list names it only if it is another one.</summary>
    internal static string OrOther(string? blockHash, string hash) => string.IsNullOrWhiteSpace(blockHash) ? hash : blockHash;

    private IEnumerable<string> Rest(FilelistEntry entry, List<string> first, IEnumerator<string> hashes)
    {
        using (hashes)
        {
            var count = 0L;
            foreach (var hash in first)
            {
                count++;
                yield return Good(entry, hash);
            }

            while (hashes.MoveNext())
            {
                count++;
                yield return Good(entry, hashes.Current);
            }

            if (Count(entry, count) is { } problem)
                throw new CorruptVolumeException(Volume, $"Of {entry.Path}: {problem}.");
        }
    }

    private string Good(FilelistEntry entry, string hash) =>
        IsHash(hash, format.BlockHash)
            ? hash
            : throw new CorruptVolumeException(Volume, $"A list of blocks of {entry.Path} is named by no hash.");

    private string? Count(FilelistEntry entry, long count) =>
        count == ExpectedBlocklists(entry.Size)
            ? null
            : $"it has {SizeText.Count(count, "list of blocks", "lists of blocks")}, and a file of {entry.Size} bytes has {ExpectedBlocklists(entry.Size)}";

    private string? Hashes(IEnumerable<string> hashes) =>
        hashes.All(x => IsHash(x, format.BlockHash)) ? null : "one of its lists of blocks is named by no hash";

    private string? Metadata(FilelistEntry entry)
    {
        if (entry.MetaHash is null)
            return null;
        if (!IsHash(entry.MetaHash, format.FileHash))
            return "its metadata has no valid hash";
        if (entry.MetaSize <= format.Blocksize)
            return entry.MetaBlocklistHashes is not null
                ? "its metadata of one block has lists of blocks"
                : OneBlock(entry.MetaHash, entry.MetaBlockHash, "its metadata");
        if (entry.MetaBlocklistHashes is not { } lists || lists.Count != ExpectedBlocklists(entry.MetaSize))
            return $"its metadata of {entry.MetaSize} bytes has {SizeText.Count(entry.MetaBlocklistHashes?.Count ?? 0, "list of blocks", "lists of blocks")}";
        return Hashes(lists);
    }

    private string? File(FilelistEntry entry)
    {
        if (!IsHash(entry.Hash, format.FileHash))
            return "it has no valid hash";
        if (entry.Size == 0)
            return entry.Hash == m_emptyHash ? null : "it has no bytes, and the hash of some";
        if (entry.Size > format.Blocksize)
            return entry.BlocklistHashes is null ? $"it has {entry.Size} bytes and no lists of blocks" : null;
        if (entry.BlocklistHashes is not null)
            return "it is one block, and has lists of blocks";
        return entry.BlockHash is not null && entry.BlockSize != entry.Size
            ? $"it has {entry.Size} bytes, and its only block {entry.BlockSize}"
            : OneBlock(entry.Hash!, entry.BlockHash, "it");
    }

    private string? OneBlock(string hash, string? blockHash, string what) =>
        string.IsNullOrWhiteSpace(blockHash) switch
        {
            true => m_isOneHash ? null : $"{what} has no hash of its block",
            false when !IsHash(blockHash, format.BlockHash) => $"{what} has no valid hash of its block",
            false => m_isOneHash && blockHash != hash ? $"{what} is one block, and has another hash than that" : null,
        };

    private static bool IsHash(string? text, VolumeHash algorithm)
    {
        Span<byte> digest = stackalloc byte[VolumeHash.MAX_DIGEST_SIZE];
        return text is not null && HashEncoding.TryDecode(text, digest[..algorithm.DigestSize]);
    }
}

/// <summary>An entry of a file list that cannot be so. The message says why.</summary>
internal sealed class ImpossibleEntryException(string message) : Exception(message);
