// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Backup;

/// <summary>
/// The digests of one stream in order: in memory up to 4 MiB, beyond that in a temporary file, so that a file of any size costs
/// bounded memory. 32 bytes a block with SHA-256.
/// </summary>
/// <remarks>One writer, then any number of enumerations, one at a time.</remarks>
/// <param name="digestSize">Length of one digest in bytes.</param>
internal sealed class DigestList(int digestSize) : IDisposable
{
    private readonly VolumeSpool m_digests = new();

    /// <summary>Number of digests.</summary>
    internal long Count { get; private set; }

    internal void Add(ReadOnlySpan<byte> digest)
    {
        m_digests.Write(digest);
        Count++;
    }

    /// <summary>The digests as Base64 text, lazily. No more can be added afterwards.</summary>
    internal IEnumerable<string> AsText()
    {
        m_digests.Position = 0;
        var digest = new byte[digestSize];
        for (var left = Count; left > 0; left--)
        {
            m_digests.ReadExactly(digest);
            yield return Convert.ToBase64String(digest);
        }
    }

    public void Dispose() => m_digests.Dispose();
}
