// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>One version of a file found by a search; the caller looks its metadata up by <see cref="FileId"/>.</summary>
internal sealed record SearchFileVersion(
    long FileId,
    long Version,
    DateTime Time,
    string Path,
    long Size,
    bool IsDirectory,
    bool IsSymlink,
    DateTime LastModified,
    Range MatchedPathRange,
    Dictionary<string, string>? Metadata
) : ISearchFileVersion;
