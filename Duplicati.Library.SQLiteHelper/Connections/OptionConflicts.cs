// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// The combinations of options that are refused: one of them could have no effect, or would break what the other promises.
/// </summary>
internal static class OptionConflicts
{
    /// <summary>Whether the options ask for a write-ahead log.</summary>
    internal static bool IsWriteAheadLog(IReadOnlyDictionary<string, Pragma> pragmas) => Is(pragmas, PragmaCatalogue.JournalMode, "wal");

    /// <summary>Throws if the options do not go together.</summary>
    /// <param name="preset">The preset they started from.</param>
    /// <param name="pragmas">All of them.</param>
    /// <param name="asked">Those asked for by name.</param>
    internal static void Refuse(
        ConnectionPreset preset,
        IReadOnlyDictionary<string, Pragma> pragmas,
        IReadOnlyDictionary<string, Pragma> asked
    )
    {
        var flushesNothing = Is(pragmas, PragmaCatalogue.Synchronous, "0");

        if (asked.ContainsKey(PragmaCatalogue.WalAutocheckpoint) && !IsWriteAheadLog(pragmas))
            throw Conflict(preset, $"{PragmaCatalogue.WalAutocheckpoint} needs {PragmaCatalogue.JournalMode}=WAL");

        if (Is(asked, PragmaCatalogue.FullFsync, "1") && flushesNothing)
            throw Conflict(preset, $"{PragmaCatalogue.FullFsync} needs a durability other than none");

        if (preset == ConnectionPreset.Rebuild && asked.ContainsKey(PragmaCatalogue.Synchronous) && !flushesNothing)
            throw Conflict(preset, "the preset rebuild is not durable; choose another preset, or hand the database over first");

        if (asked.ContainsKey(PragmaCatalogue.Synchronous) && !flushesNothing && KeepsNoJournalOnDisk(pragmas))
            throw Conflict(
                preset,
                $"a journal that is not on disk cannot be durable; {PragmaCatalogue.JournalMode} must be WAL, DELETE, TRUNCATE or PERSIST"
            );
    }

    private static bool KeepsNoJournalOnDisk(IReadOnlyDictionary<string, Pragma> pragmas) =>
        Is(pragmas, PragmaCatalogue.JournalMode, "memory") || Is(pragmas, PragmaCatalogue.JournalMode, "off");

    private static bool Is(IReadOnlyDictionary<string, Pragma> pragmas, string name, string canonical) =>
        pragmas.TryGetValue(name, out var pragma) && PragmaCatalogue.Is(pragma, name, canonical);

    private static ArgumentException Conflict(ConnectionPreset preset, string reason) =>
        new($"These connection options do not go together (preset {preset.Name}): {reason}.");
}
