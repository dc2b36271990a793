// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Utility;

namespace Duplicati.Engine.Backup;

/// <summary>
/// The digests of one stream in order: in memory up to <see cref="MemoryBytes"/>, beyond that in a temporary file, so that a file
/// of any size costs bounded memory. 32 bytes a block with SHA-256.
/// </summary>
/// <remarks>One writer, then any number of enumerations, one at a time.</remarks>
/// <param name="digestSize">Length of one digest in bytes.</param>
internal sealed class DigestList(int digestSize) : IDisposable
{
    internal const int MemoryBytes = 4 * 1024 * 1024;

    private byte[] m_memory = new byte[digestSize];
    private int m_used;
    private TempFile? m_file;
    private FileStream? m_spilled;

    /// <summary>Number of digests.</summary>
    internal long Count { get; private set; }

    internal void Add(ReadOnlySpan<byte> digest)
    {
        if (m_used + digestSize > m_memory.Length)
            MakeRoom();

        digest.CopyTo(m_memory.AsSpan(m_used));
        m_used += digestSize;
        Count++;
    }

    /// <summary>The digests as Base64 text, lazily.</summary>
    internal IEnumerable<string> AsText()
    {
        if (m_spilled is not null)
        {
            m_spilled.Position = 0;
            var digest = new byte[digestSize];
            for (var left = m_spilled.Length / digestSize; left > 0; left--)
            {
                m_spilled.ReadExactly(digest);
                yield return Convert.ToBase64String(digest);
            }
        }

        for (var offset = 0; offset < m_used; offset += digestSize)
            yield return Convert.ToBase64String(m_memory, offset, digestSize);
    }

    public void Dispose()
    {
        m_spilled?.Dispose();
        m_file?.Dispose();
    }

    private void MakeRoom()
    {
        if (m_memory.Length * 2L <= MemoryBytes)
        {
            Array.Resize(ref m_memory, m_memory.Length * 2);
            return;
        }

        m_file ??= new TempFile();
        m_spilled ??= new FileStream(m_file, FileMode.Create, FileAccess.ReadWrite, FileShare.None, 64 * 1024);
        m_spilled.Position = m_spilled.Length;
        m_spilled.Write(m_memory, 0, m_used);
        m_used = 0;
    }
}
