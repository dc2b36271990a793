// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>One version of a file found by a search.</summary>
public interface ISearchFileVersion : IListFileVersion
{
    /// <summary>The part of the path that matched.</summary>
    Range MatchedPathRange { get; }

    /// <summary>The metadata, if it was asked for.</summary>
    Dictionary<string, string>? Metadata { get; }
}
