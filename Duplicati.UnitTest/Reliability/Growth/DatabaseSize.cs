// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.UnitTest.Reliability.Growth;

/// <summary>Rows of a local database.</summary>
/// <param name="Versions">Filesets.</param>
/// <param name="Entries">Entries of all versions.</param>
/// <param name="Files">Paths with one content each.</param>
/// <param name="Rows">All of these, and all others that describe the backup.</param>
internal sealed record DatabaseSize(long Versions, long Entries, long Files, long Rows)
{
    private static readonly string[] s_tables =
    [
        "Fileset",
        "FilesetEntry",
        "FileLookup",
        "Remotevolume",
        "Block",
        "Blockset",
        "BlocksetEntry",
        "Metadataset",
        "IndexBlockLink",
    ];

    /// <summary>Counts them.</summary>
    internal static DatabaseSize Of(string path)
    {
        using var connection = Databases.Open(path);
        var rows = s_tables
            .Select(x => long.Parse(connection.Scalar($"""SELECT COUNT(*) FROM "{x}" """)!, CultureInfo.InvariantCulture))
            .ToList();
        return new DatabaseSize(rows[0], rows[1], rows[2], rows.Sum());
    }
}
