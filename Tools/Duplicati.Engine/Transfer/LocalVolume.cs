// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// A file of a folder of this machine, read once and forwards. It tells its own failures from those of whatever it is copied to. Not
/// thread-safe; does not close the file.
/// </summary>
/// <param name="file">The file, seekable.</param>
/// <param name="fillsGaps">Whether to give zeros for what the disk cannot read, unless it can read nothing.</param>
internal sealed class LocalVolume(Stream file, bool fillsGaps) : ForwardStream
{
    private const int PieceBytes = 64 * 1024;

    // A page of the system, and a sector of most disks.
    private const int SmallPieceBytes = 4 * 1024;

    // A disk may take seconds to give up a sector. From here on what has a bad one is given up in large pieces.
    private const int MostInSmallPieces = 1024 * 1024;

    private long m_at;
    private long m_badUntil;
    private long m_filled;

    public override bool CanRead => true;

    public override long Length => file.Length;

    /// <summary>The error of the file that the last reading failed with.</summary>
    internal IOException? Failure { get; private set; }

    /// <summary>Whether zeros were given.</summary>
    internal bool HasGaps => m_filled > 0;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        try
        {
            return fillsGaps
                ? await ReadPieceAsync(buffer, cancellationToken).ConfigureAwait(false)
                : await file.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (IOException ex)
        {
            Failure = ex;
            throw;
        }
    }

    private async Task<int> ReadPieceAsync(Memory<byte> buffer, CancellationToken token)
    {
        while (true)
        {
            var most = m_at < m_badUntil ? SmallPieceBytes : PieceBytes;
            var length = (int)Math.Min(buffer.Length, most - (m_at % most));
            try
            {
                // Where a failed reading leaves the file is not told.
                file.Position = m_at;
                var read = await file.ReadAsync(buffer[..length], token).ConfigureAwait(false);
                m_at += read;
                return read;
            }
            catch (IOException ex) when (DiskSpace.IsBad(ex))
            {
                if (m_at >= m_badUntil && m_filled < MostInSmallPieces)
                {
                    m_badUntil = m_at + length;
                    continue;
                }

                length = (int)Math.Min(length, file.Length - m_at);
                m_filled += length;
                if (length <= 0 || m_filled == file.Length)
                    throw;
                buffer.Span[..length].Clear();
                m_at += length;
                return length;
            }
        }
    }
}
