// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Techniques;

/// <summary>Answers of trials as one number, by content instead of by ids, and what puts a technique out of action.</summary>
internal static class TechniquesSql
{
    // Reads BlocksetEntry in the order of its primary key.
    internal const string EntryIds =
        """SELECT SUM((BlocksetID * 31 + "Index") % 1000003 * (BlockID % 8191 + 1)) + COUNT(*) FROM BlocksetEntry""";

    // Reads FilesetEntry in the order of its primary key.
    internal const string FilesetEntries =
        "SELECT SUM((FilesetID * 31 + FileID) % 1000003 * (Lastmodified % 8191 + 1)) + COUNT(*) FROM FilesetEntry";

    // Touches no table.
    internal const string OwnPace = "PRAGMA wal_autocheckpoint=999";

    // One row of no meaning: the tables are not empty any more.
    internal const string AddBlocklistHash = """INSERT INTO BlocklistHash (BlocksetID, "Index", Hash) VALUES (-1, 0, 'x')""";

    // Appends by row id: a change, and nothing that a check looks at.
    internal const string AddLogRow =
        "INSERT INTO LogData (OperationID, Timestamp, Type, Message, Exception) VALUES (1, 0, 'x', 'x', NULL)";

    // Reads Block in row order; Remotevolume by id.
    internal const string BlocksOfVolumes = "SELECT v.Name, b.Hash, b.Size FROM Block b CROSS JOIN Remotevolume v ON v.ID = b.VolumeID";
}
