// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Support;

/// <summary>Another connection that commits at the worst moment: after a member has read, and before it writes or takes the lock.</summary>
internal static class OtherCommit
{
    internal static void BeforeTheFirstWrite(LocalDatabase database, Action commit)
    {
        var isDone = false;
        database.Session.Statements.Fault = sql =>
        {
            if (isDone || sql.TrimStart().StartsWith("SELECT", StringComparison.OrdinalIgnoreCase))
                return 0;
            isDone = true;
            commit();
            return 0;
        };
    }
}
