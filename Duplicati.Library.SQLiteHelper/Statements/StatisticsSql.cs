// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>The planner's statistics. Source: https://www.sqlite.org/fileformat2.html, section 2.6.3.</summary>
internal static class StatisticsSql
{
    // The schema table is small and in memory.
    internal const string Exist = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'sqlite_stat1'";

    // Makes the planner read sqlite_stat1 again; analyses nothing.
    internal const string Reload = "ANALYZE sqlite_master";
}
