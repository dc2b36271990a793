// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// Streams that hold no reader open: keys are copied when the first row is asked for, rows are read a page at a time when the
/// consumer gets there. What a row is made of does not change during a restore, so the result is that of the first moment.
/// </summary>
internal static class Paged
{
    private const int KeysOfPage = 512;

    /// <summary>Rows of a list of keys, in its order. Keys without a row are left out.</summary>
    /// <param name="session">The session of the connection.</param>
    /// <param name="keys">Reads the keys; may run long.</param>
    /// <param name="read">Reads the row of one key.</param>
    /// <param name="token">Cancels the stream.</param>
    internal static async IAsyncEnumerable<TRow> RowsAsync<TKey, TRow>(
        DatabaseSession session,
        Func<DatabaseSession, IReadOnlyList<TKey>> keys,
        Func<DatabaseSession, TKey, TRow?> read,
        [EnumeratorCancellation] CancellationToken token
    )
        where TRow : class
    {
        var all = await session.LongAsync(keys, token).ConfigureAwait(false);
        for (var start = 0; start < all.Count; start += KeysOfPage)
        {
            foreach (var row in Page(session, all, start, read, token))
                yield return row;
        }
    }

    /// <summary>Rows that are read page after page until an empty one.</summary>
    /// <param name="session">The session of the connection.</param>
    /// <param name="begin">Begins an enumeration: gives what reads its next page, which is called with the connection lock held.</param>
    /// <param name="token">Cancels the stream.</param>
    internal static async IAsyncEnumerable<T> PagesAsync<T>(
        DatabaseSession session,
        Func<Func<DatabaseSession, IReadOnlyList<T>>> begin,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        var next = begin();
        while (true)
        {
            var page = await session.LongAsync(next, token).ConfigureAwait(false);
            if (page.Count == 0)
                yield break;

            foreach (var row in page)
                yield return row;
        }
    }

    private static List<TRow> Page<TKey, TRow>(
        DatabaseSession session,
        IReadOnlyList<TKey> keys,
        int start,
        Func<DatabaseSession, TKey, TRow?> read,
        CancellationToken token
    )
        where TRow : class =>
        session.Do(
            s =>
            {
                var end = Math.Min(keys.Count, start + KeysOfPage);
                var rows = new List<TRow>(end - start);
                for (var i = start; i < end; i++)
                {
                    if (read(s, keys[i]) is { } row)
                        rows.Add(row);
                }

                return rows;
            },
            token
        );
}
