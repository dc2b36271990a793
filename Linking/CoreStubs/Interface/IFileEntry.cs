// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>A file in a listing of a backend.</summary>
public interface IFileEntry
{
    /// <summary>The name, without a path.</summary>
    string Name { get; }

    /// <summary>The size in bytes; negative when the backend does not tell.</summary>
    long Size { get; }
}
