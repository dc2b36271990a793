// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Threading.Channels;
using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// Fetches, decrypts and parses index volumes in parallel and hands them out in listing order, a bounded number ahead. A volume
/// that cannot be read is handed out as its failure.
/// </summary>
internal sealed class IndexFeed(VolumeDownloader downloader, VolumeFormat format, int parallelism)
{
    /// <summary>
    /// One volume of the feed: parsed, or what went wrong; with the hash of the file if it could be fetched and decrypted.
    /// </summary>
    internal readonly record struct Item(RemoteFile File, ParsedIndex? Index, Exception? Failure, string? Hash);

    internal async IAsyncEnumerable<Item> ReadAsync(
        IReadOnlyList<RemoteFile> files,
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken token
    )
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(token);
        using var slots = new SemaphoreSlim(parallelism, parallelism);
        var ordered = Channel.CreateBounded<Task<Item>>(parallelism == 1 ? 1 : parallelism * 2);
        var starting = Pipeline.GuardAsync(
            stop,
            () => StartAsync(files, slots, ordered.Writer, stop.Token),
            () => ordered.Writer.TryComplete()
        );
        try
        {
            await foreach (var parsing in ordered.Reader.ReadAllAsync(token).ConfigureAwait(false))
            {
                var item = await parsing.ConfigureAwait(false);
                using (item.Index)
                    yield return item;
            }

            await starting.ConfigureAwait(false);
        }
        finally
        {
            // The consumer may leave early: nothing may use the slots after they are gone.
            await stop.CancelAsync().ConfigureAwait(false);
            await DrainAsync(starting, ordered.Reader).ConfigureAwait(false);
        }
    }

    private async Task StartAsync(
        IReadOnlyList<RemoteFile> files,
        SemaphoreSlim slots,
        ChannelWriter<Task<Item>> ordered,
        CancellationToken token
    )
    {
        foreach (var file in files)
        {
            await slots.WaitAsync(token).ConfigureAwait(false);
            await ordered.WriteAsync(Task.Run(() => ParseAsync(file, slots, token), CancellationToken.None), token).ConfigureAwait(false);
        }
    }

    private async Task<Item> ParseAsync(RemoteFile file, SemaphoreSlim slots, CancellationToken token)
    {
        string? hash = null;
        try
        {
            var download = await downloader.FetchAsync(file.Name, token).ConfigureAwait(false);
            hash = download.Hash;
            var index = ParsedIndex.Read(file.Name, hash, download.Length, download.Content, format, download);
            return new Item(file, index, null, hash);
        }
        catch (Exception ex) when (ex is not OutOfMemoryException)
        {
            return new Item(file, null, ex, hash);
        }
        finally
        {
            slots.Release();
        }
    }

    private static async Task DrainAsync(Task starting, ChannelReader<Task<Item>> ordered)
    {
        await starting.ContinueWith(static _ => { }, TaskScheduler.Default).ConfigureAwait(false);
        while (ordered.TryRead(out var parsing))
            (await parsing.ConfigureAwait(false)).Index?.Dispose();
    }
}
