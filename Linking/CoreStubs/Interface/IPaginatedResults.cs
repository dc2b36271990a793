// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>One page of a longer list.</summary>
/// <typeparam name="T">The items.</typeparam>
public interface IPaginatedResults<T>
{
    /// <summary>The page, from 0.</summary>
    int Page { get; }

    /// <summary>The greatest number of items on a page.</summary>
    int PageSize { get; }

    /// <summary>The number of pages.</summary>
    int TotalPages { get; }

    /// <summary>The number of items on all pages.</summary>
    long TotalCount { get; }

    /// <summary>The items of this page.</summary>
    IEnumerable<T> Items { get; }
}
