// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>A path with its sizes.</summary>
public interface IListResultFile
{
    /// <summary>The full path.</summary>
    string Path { get; }

    /// <summary>The size in bytes in each listed fileset; null when sizes were not looked up.</summary>
    IEnumerable<long>? Sizes { get; }
}
