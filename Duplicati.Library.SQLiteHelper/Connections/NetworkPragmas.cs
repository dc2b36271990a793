// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// What changes when the database lies on a network file system: a write-ahead log needs memory shared between all that
/// use the file, which a network does not give (https://www.sqlite.org/wal.html), and a mapped page of a file that
/// another machine cut ends the process.
/// </summary>
internal static class NetworkPragmas
{
    /// <summary>Replaces the pragmas of a preset.</summary>
    internal static IReadOnlyList<Pragma> Adapt(ConnectionOptions options, string fileSystem) =>
        string.Equals(options[PragmaCatalogue.JournalMode], "WAL", StringComparison.OrdinalIgnoreCase)
            ? options.Pragmas.Select(pragma => Replace(pragma, fileSystem)).ToArray()
            : options.Pragmas;

    private static Pragma Replace(Pragma pragma, string fileSystem) =>
        pragma.Name switch
        {
            PragmaCatalogue.JournalMode => pragma with { Value = "DELETE", Reason = $"a write-ahead log does not work over {fileSystem}" },
            PragmaCatalogue.Synchronous when pragma.Value == "NORMAL" => pragma with
            {
                Value = "FULL",
                Reason = "without a write-ahead log only full flushes keep a power loss from corrupting",
            },
            PragmaCatalogue.MmapSize => pragma with { Value = "0", Reason = $"a page mapped over {fileSystem} may vanish" },
            _ => pragma,
        };
}
