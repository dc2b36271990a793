// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>One page of a longer list.</summary>
internal record PaginatedResults<T>(int Page, int PageSize, int TotalPages, long TotalCount, IEnumerable<T> Items) : IPaginatedResults<T>;
