// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Access;

/// <summary>The tables of which a database alone has something; all else can be made of the remote folder.</summary>
internal static class OwnTables
{
    private static readonly Dictionary<string, (string What, bool IsWhole)> s_tables = new(StringComparer.OrdinalIgnoreCase)
    {
        ["Operation"] = ("when which operations ran", true),
        ["LogData"] = ("results and messages of operations", true),
        ["RemoteOperation"] = ("which volumes were fetched, put and deleted when", true),
        ["ChangeJournalData"] = ("positions in change journals", true),
        ["RestoreTestHistory"] = ("which files restore tests have tried", true),
        ["Remotevolume"] = ("how often volumes were tested, how long they are locked or archived, and which operation made them", false),
        ["Fileset"] = ("labels of versions, and which operation made them", false),
        ["Configuration"] = ("settings that are not in volumes", false),
    };

    /// <summary>Their names.</summary>
    internal static IReadOnlySet<string> Names { get; } = s_tables.Keys.ToHashSet(StringComparer.OrdinalIgnoreCase);

    /// <summary>What of a table only the database has; null if nothing.</summary>
    internal static string? WhatIsIn(string table) => s_tables.TryGetValue(table, out var found) ? found.What : null;

    /// <summary>Whether nothing of a table is in the remote folder, so that this can add nothing to what can be read of it.</summary>
    internal static bool IsOnlyHere(string table) => s_tables.TryGetValue(table, out var found) && found.IsWhole;
}
