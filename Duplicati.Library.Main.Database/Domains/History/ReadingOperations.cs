// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.History;

/// <summary>
/// The operations that change nothing but the history, by their text in table Operation. They are recorded with their first commit, so that
/// they run beside one that writes. All others, also unknown ones, are recorded at once, and so begin one after the other.
/// </summary>
internal static class ReadingOperations
{
    private static readonly HashSet<string> s_names = new(StringComparer.Ordinal)
    {
        "BugReportCreate",
        "List",
        "ListAffected",
        "ListBrokenFiles",
        "ListChanges",
        "ListControlFiles",
        "list-remote",
        "Restore",
        "RestoreControlFiles",
        "Verify",
    };

    /// <summary>Whether an operation is one of them.</summary>
    internal static bool Contains(string operation) => s_names.Contains(operation);
}
