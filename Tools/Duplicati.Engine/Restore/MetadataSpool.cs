// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using System.Security.Cryptography;
using Microsoft.Win32.SafeHandles;

namespace Duplicati.Engine.Restore;

/// <summary>
/// Metadata blobs that wait until their file is written, in a temporary file: 40 bytes of memory a block. Thread-safe.
/// </summary>
internal sealed class MetadataSpool : IDisposable
{
    /// <summary>Bytes of the metadata of an entry. Real ones have some hundred; a file list may name any content for them.</summary>
    internal const int MostBytes = 64 * 1024 * 1024;

    private readonly SafeFileHandle m_file;
    private readonly ConcurrentDictionary<(long FileId, long Index), (long Offset, int Length)> m_parts = new();
    private long m_end;

    internal MetadataSpool(string temporaryFolder)
    {
        var path = Path.Combine(temporaryFolder, "metadata-" + RandomNumberGenerator.GetHexString(16));
        m_file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, FileOptions.DeleteOnClose);
    }

    /// <summary>Whether metadata had more bytes than they may when they were read.</summary>
    internal bool HasTooLong { get; private set; }

    /// <summary>Stores the content of a block once.</summary>
    internal (long Offset, int Length) Store(ReadOnlySpan<byte> content)
    {
        var offset = Interlocked.Add(ref m_end, content.Length) - content.Length;
        RandomAccess.Write(m_file, content, offset);
        return (offset, content.Length);
    }

    /// <summary>Notes that stored content is part of an entry's metadata.</summary>
    internal void Note(long fileId, long index, (long Offset, int Length) part) => m_parts[(fileId, index)] = part;

    /// <summary>The metadata of an entry as far as it has come; null if there is none, or more than <see cref="MostBytes"/>.</summary>
    internal byte[]? Read(long fileId)
    {
        var length = 0L;
        var parts = new List<(long Offset, int Length)>();
        for (; m_parts.TryGetValue((fileId, parts.Count), out var part) && length <= MostBytes; length += part.Length)
            parts.Add(part);
        HasTooLong |= length > MostBytes;
        if (length is 0 or > MostBytes)
            return null;

        var content = new byte[length];
        var rest = content.AsSpan();
        foreach (var part in parts)
        {
            RandomAccess.Read(m_file, rest[..part.Length], part.Offset);
            rest = rest[part.Length..];
        }

        return content;
    }

    public void Dispose() => m_file.Dispose();
}
