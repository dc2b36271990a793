// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Backup;

/// <summary>
/// A stream (a file's data or a metadata blob) whose blocks are being recorded. Its reader hands it over with its last batch: who records
/// it reads its digests while an interruption may have ended the reader.
/// </summary>
/// <param name="digestSize">Length of a block digest in bytes.</param>
internal sealed class PendingStream(int digestSize) : IDisposable
{
    private readonly TaskCompletionSource<long> m_recorded = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal DigestList Blocks { get; } = new(digestSize);

    internal DigestList Blocklists { get; } = new(digestSize);

    /// <summary>Bytes read so far; the length once the last batch is out.</summary>
    internal long Length { get; set; }

    /// <summary>Hash of the whole stream as Base64 text, once the last batch is out.</summary>
    internal string FullHash { get; set; } = "";

    /// <summary>The blockset id, when all blocks are recorded; faulted when reading or recording failed.</summary>
    internal Task<long> Recorded => m_recorded.Task;

    /// <summary>Set when the reader gave up in the middle: blocks already recorded stay, the stream does not.</summary>
    internal Exception? Failure { get; private set; }

    internal void Complete(long blocksetId) => m_recorded.TrySetResult(blocksetId);

    internal void Fail(Exception reason)
    {
        Failure = reason;
        m_recorded.TrySetException(reason);
    }

    public void Dispose()
    {
        Blocks.Dispose();
        Blocklists.Dispose();
    }
}

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
