// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Utility;

/// <summary>How a filter compares, simplest first.</summary>
public enum FilterType
{
    /// <summary>No rule.</summary>
    Empty,

    /// <summary>The whole path.</summary>
    Simple,

    /// <summary><c>*</c> and <c>?</c>.</summary>
    Wildcard,

    /// <summary>A regular expression, written in square brackets.</summary>
    Regexp,

    /// <summary>A named group of rules, written in braces.</summary>
    Group,
}
