// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>One version of a file.</summary>
internal sealed record ListFileVersion(
    long Version,
    DateTime Time,
    string Path,
    long Size,
    bool IsDirectory,
    bool IsSymlink,
    DateTime LastModified
) : IListFileVersion;
