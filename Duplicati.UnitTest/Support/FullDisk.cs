// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.UnitTest.Support;

/// <summary>A file that cannot grow, as on a full disk.</summary>
internal static class FullDisk
{
    /// <summary>Lets the file of a session grow by some pages and no further, or without a limit again.</summary>
    internal static void LimitPages(this DatabaseSession session, bool isFull, int spare = 0)
    {
        lock (session.ConnectionLock)
        {
            using var count = session.Statements.Prepare("PRAGMA page_count");
            var pages = isFull ? count.ExecuteInt64() + spare : int.MaxValue - 1;
            using var limit = session.Statements.Prepare($"PRAGMA max_page_count={pages}");
            limit.ExecuteInt64();
        }
    }
}
