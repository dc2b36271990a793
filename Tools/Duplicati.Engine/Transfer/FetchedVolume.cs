// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// What lay in the remote folder under the name of a volume: in memory, or in a temporary file that is removed with this object. Nothing
/// changes it.
/// </summary>
internal sealed class FetchedVolume : IDisposable
{
    private Func<Stream>? m_open;
    private Action? m_remove;

    private FetchedVolume(Func<Stream> open, Action remove) => (m_open, m_remove) = (open, remove);

    /// <summary>A volume in a temporary file.</summary>
    internal static FetchedVolume InFile(string path) => new(() => VolumeOpener.OpenFile(path), () => File.Delete(path));

    /// <summary>Reads a volume into memory.</summary>
    /// <param name="source">The volume, at its start.</param>
    /// <param name="memory">Where the memory comes from.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The volume; null if there is no memory for it, and then nothing was read.</returns>
    internal static async Task<FetchedVolume?> TryReadAsync(Stream source, VolumeMemory memory, CancellationToken token)
    {
        var length = source.Length;
        if (memory.TryRent(length) is not { } buffer)
            return null;
        try
        {
            var read = await source
                .ReadAtLeastAsync(buffer.AsMemory(0, (int)length), (int)length, throwOnEndOfStream: false, token)
                .ConfigureAwait(false);
            return new FetchedVolume(() => new MemoryStream(buffer, 0, read, writable: false), () => memory.Return(buffer, length));
        }
        catch
        {
            memory.Return(buffer, length);
            throw;
        }
    }

    /// <summary>Copies a volume into a temporary file.</summary>
    internal static async Task<FetchedVolume> CopyAsync(Stream source, string path, CancellationToken token)
    {
        var target = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0);
        await using var targetScope = target.ConfigureAwait(false);
        await source.CopyToAsync(target, VolumeOpener.BufferSize, token).ConfigureAwait(false);
        return InFile(path);
    }

    /// <summary>A stream of its own for reading, seekable, at the start; to be closed before this object is disposed of.</summary>
    internal Stream Open() => m_open is null ? throw new ObjectDisposedException(nameof(FetchedVolume)) : m_open();

    public void Dispose()
    {
        // Its memory is free from here on, however long somebody holds this.
        m_open = null;
        Interlocked.Exchange(ref m_remove, null)?.Invoke();
    }
}
