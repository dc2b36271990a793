// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// How long the write-ahead log of a backup or a recreate may grow before it is copied back into the database. A backup commits for
/// every file, and each commit changes pages all over the indexes; SQLite's own pace of 4 MiB copies them back every few files, the same
/// pages again and again, with two flushes each time. At 64 MiB a page is copied once for many commits. A recreate commits once a step.
/// </summary>
/// <remarks>
/// What a commit promises does not change: it is in the log, as before. The log is removed when the connection is closed. Nothing
/// happens if the pace or the page size is not SQLite's own, which means that somebody chose it, or under the preset for little memory.
/// </remarks>
internal static class CheckpointPace
{
    private const long DefaultPages = 1000;
    private const long DefaultPageBytes = 4096;

    /// <summary>Lets the log of this connection grow to 64 MiB from now on.</summary>
    internal static void Slow(DatabaseSession session)
    {
        if (ConnectionOptions.Current.IsSmall)
            return;

        if (
            session.ReadNumber(HousekeepingSql.ReadCheckpointPages) == DefaultPages
            && session.ReadNumber(PragmaSql.ReadPageBytes) == DefaultPageBytes
        )
            session.Statements.Execute(HousekeepingSql.SlowCheckpoints);
    }
}
