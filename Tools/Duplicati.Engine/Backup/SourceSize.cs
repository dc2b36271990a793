// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Backup;

/// <summary>
/// Adds up the sizes of the sources in the background, so that a backup can tell how far it is. Never fails: what goes wrong is told by the
/// backup itself.
/// </summary>
internal sealed class SourceSize : IAsyncDisposable
{
    private readonly CancellationTokenSource m_stop = new();
    private readonly Task m_work;
    private long m_bytes;

    /// <summary>Begins to count.</summary>
    internal SourceSize(IReadOnlyList<string> sources, SourceScanner scanner) =>
        m_work = Task.Run(() => Count(sources, scanner), CancellationToken.None);

    /// <summary>Bytes of all files; 0 while they are being counted.</summary>
    internal long Bytes => Volatile.Read(ref m_bytes);

    /// <summary>Stops counting.</summary>
    public async ValueTask DisposeAsync()
    {
        await m_stop.CancelAsync().ConfigureAwait(false);
        await m_work.ConfigureAwait(false);
        m_stop.Dispose();
    }

    private void Count(IReadOnlyList<string> sources, SourceScanner scanner)
    {
        try
        {
            var bytes = 0L;
            foreach (var entry in scanner.Scan(sources))
            {
                if (m_stop.IsCancellationRequested)
                    return;
                if (entry.Kind == SourceKind.File)
                    bytes += entry.Length;
            }

            Volatile.Write(ref m_bytes, bytes);
        }
        catch (Exception ex) when (ex is UserInformationException or IOException or UnauthorizedAccessException)
        {
            // The scan of the backup meets it as well.
        }
    }
}
