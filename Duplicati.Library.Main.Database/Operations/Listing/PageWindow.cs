// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Interface;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>The part of a list that a caller wants to see.</summary>
/// <param name="Offset">Number of items to leave out.</param>
/// <param name="Limit">Number of items at most; 0 or less is no limit.</param>
internal readonly record struct PageWindow(long Offset, long Limit)
{
    /// <summary>Whether all items are seen.</summary>
    internal bool IsUnlimited => Limit <= 0;

    /// <summary>Checks the rule that an offset needs a limit.</summary>
    /// <exception cref="ArgumentException">There is an offset without a limit.</exception>
    internal static PageWindow Of(long offset, long limit) =>
        offset != 0 && limit <= 0
            ? throw new ArgumentException("Cannot use offset without limit specified.", nameof(offset))
            : new PageWindow(offset, limit);

    /// <summary>Whether the item at a position (from 0) is on the page.</summary>
    internal bool Contains(long position) => position >= Offset && (IsUnlimited || position - Math.Max(0, Offset) < Limit);

    /// <summary>The result where nothing was asked for: page 0 of none, whatever the offset.</summary>
    internal IPaginatedResults<T> Nothing<T>() => (this with { Offset = 0 }).Result<T>([], 0);

    /// <summary>The result: the true total on every page, and one page of any size without a limit.</summary>
    internal IPaginatedResults<T> Result<T>(IReadOnlyList<T> items, long total)
    {
        var size = IsUnlimited ? int.MaxValue : Math.Min(Limit, int.MaxValue);
        var pages =
            total == 0 ? 0
            : IsUnlimited ? 1
            : ((total - 1) / Limit) + 1;
        var page = IsUnlimited ? 0 : Math.Max(0, Offset) / Limit;
        return new PaginatedResults<T>((int)Math.Min(page, int.MaxValue), (int)size, (int)Math.Min(pages, int.MaxValue), total, items);
    }
}
