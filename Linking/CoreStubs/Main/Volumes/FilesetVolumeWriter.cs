// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main.Volumes;

/// <summary>
/// Takes the entries of a fileset and writes them to a file list volume. The container format belongs to whoever derives from this.
/// </summary>
/// <remarks>Not safe for concurrent use.</remarks>
public abstract class FilesetVolumeWriter
{
    /// <summary>Writes a folder.</summary>
    /// <param name="name">The full path, ending with a separator.</param>
    /// <param name="metahash">The file hash of the metadata; blank throws <see cref="ArgumentNullException"/>.</param>
    /// <param name="metasize">The length of the metadata in bytes.</param>
    /// <param name="metablockhash">The hash of the only metadata block, null if it is the same as <paramref name="metahash"/>.</param>
    /// <param name="metablocklisthashes">The blocklists of metadata with several blocks, else null.</param>
    public void AddDirectory(
        string name,
        string? metahash,
        long metasize,
        string? metablockhash,
        IEnumerable<string>? metablocklisthashes
    ) => WriteDirectory(name, Required(metahash), metasize, metablockhash, metablocklisthashes);

    /// <summary>Writes a symbolic link; parameters as for <see cref="AddDirectory"/>.</summary>
    /// <param name="name">The full path.</param>
    /// <param name="metahash">The file hash of the metadata; blank throws <see cref="ArgumentNullException"/>.</param>
    /// <param name="metasize">The length of the metadata in bytes.</param>
    /// <param name="metablockhash">The hash of the only metadata block, null if it is the same as <paramref name="metahash"/>.</param>
    /// <param name="metablocklisthashes">The blocklists of metadata with several blocks, else null.</param>
    public void AddSymlink(string name, string? metahash, long metasize, string? metablockhash, IEnumerable<string>? metablocklisthashes) =>
        WriteSymlink(name, Required(metahash), metasize, metablockhash, metablocklisthashes);

    /// <summary>Writes a file.</summary>
    /// <param name="name">The full path.</param>
    /// <param name="filehash">The file hash of the content.</param>
    /// <param name="size">The length of the content in bytes.</param>
    /// <param name="lastmodified">The time of the last change, UTC.</param>
    /// <param name="metahash">The file hash of the metadata; blank throws <see cref="ArgumentNullException"/>.</param>
    /// <param name="metasize">The length of the metadata in bytes.</param>
    /// <param name="metablockhash">The hash of the only metadata block, null if it is the same as <paramref name="metahash"/>.</param>
    /// <param name="blockhash">The hash of the first content block, null if it is the same as <paramref name="filehash"/>.</param>
    /// <param name="blocksize">The size of the first content block in bytes.</param>
    /// <param name="blocklisthashes">The blocklists of content with several blocks, else null. Read at most once and to its end.</param>
    /// <param name="metablocklisthashes">The blocklists of metadata with several blocks, else null.</param>
    /// <returns>Ends when the entry is written.</returns>
    public Task AddFileAsync(
        string name,
        string filehash,
        long size,
        DateTime lastmodified,
        string? metahash,
        long metasize,
        string? metablockhash,
        string? blockhash,
        long blocksize,
        IAsyncEnumerable<string>? blocklisthashes,
        IEnumerable<string>? metablocklisthashes
    ) =>
        WriteFileAsync(
            name,
            filehash,
            size,
            lastmodified,
            Required(metahash),
            metasize,
            metablockhash,
            blockhash,
            blocksize,
            blocklisthashes,
            metablocklisthashes
        );

    /// <summary>Does the work of <see cref="AddDirectory"/>; the metadata hash is not blank.</summary>
    /// <param name="name">The full path, ending with a separator.</param>
    /// <param name="metahash">The file hash of the metadata.</param>
    /// <param name="metasize">The length of the metadata in bytes.</param>
    /// <param name="metablockhash">The hash of the only metadata block, or null.</param>
    /// <param name="metablocklisthashes">The blocklists of the metadata, or null.</param>
    protected abstract void WriteDirectory(
        string name,
        string metahash,
        long metasize,
        string? metablockhash,
        IEnumerable<string>? metablocklisthashes
    );

    /// <summary>Does the work of <see cref="AddSymlink"/>; the metadata hash is not blank.</summary>
    /// <param name="name">The full path.</param>
    /// <param name="metahash">The file hash of the metadata.</param>
    /// <param name="metasize">The length of the metadata in bytes.</param>
    /// <param name="metablockhash">The hash of the only metadata block, or null.</param>
    /// <param name="metablocklisthashes">The blocklists of the metadata, or null.</param>
    protected abstract void WriteSymlink(
        string name,
        string metahash,
        long metasize,
        string? metablockhash,
        IEnumerable<string>? metablocklisthashes
    );

    /// <summary>Does the work of <see cref="AddFileAsync"/>; the metadata hash is not blank.</summary>
    /// <param name="name">The full path.</param>
    /// <param name="filehash">The file hash of the content.</param>
    /// <param name="size">The length of the content in bytes.</param>
    /// <param name="lastmodified">The time of the last change, UTC.</param>
    /// <param name="metahash">The file hash of the metadata.</param>
    /// <param name="metasize">The length of the metadata in bytes.</param>
    /// <param name="metablockhash">The hash of the only metadata block, or null.</param>
    /// <param name="blockhash">The hash of the first content block, or null.</param>
    /// <param name="blocksize">The size of the first content block in bytes.</param>
    /// <param name="blocklisthashes">The blocklists of the content, or null; to be read at most once and to its end.</param>
    /// <param name="metablocklisthashes">The blocklists of the metadata, or null.</param>
    /// <returns>Ends when the entry is written.</returns>
    protected abstract Task WriteFileAsync(
        string name,
        string filehash,
        long size,
        DateTime lastmodified,
        string metahash,
        long metasize,
        string? metablockhash,
        string? blockhash,
        long blocksize,
        IAsyncEnumerable<string>? blocklisthashes,
        IEnumerable<string>? metablocklisthashes
    );

    private static string Required(string? metahash) =>
        string.IsNullOrWhiteSpace(metahash) ? throw new ArgumentNullException(nameof(metahash)) : metahash;
}

/// <summary>An opened block volume. The container format belongs to whoever derives from this.</summary>
public abstract class BlockVolumeReader
{
    /// <summary>The Base64 hash and the size in bytes of every block in the volume.</summary>
    public abstract IEnumerable<KeyValuePair<string, long>> Blocks { get; }
}
