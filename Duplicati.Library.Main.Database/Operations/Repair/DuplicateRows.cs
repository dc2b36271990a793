// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>Rows that say the same thing twice: of each group of them the one with the lowest id is left.</summary>
/// <param name="what">What the rows are, for messages.</param>
/// <param name="logId">Log id of "there are some"; with "Fixed" behind it, of "they are gone".</param>
/// <param name="helpId">Help id of the error if some are left.</param>
/// <param name="count">Counts what there is too much of.</param>
/// <param name="merge">The temporary table that says which row replaces which.</param>
/// <param name="find">Fills it.</param>
/// <param name="replace">Does what it says.</param>
internal sealed class DuplicateRows(
    string what,
    string logId,
    string helpId,
    string count,
    TempTable merge,
    string find,
    Action<DatabaseSession> replace
)
{
    // MetadatasetBlocksetID, read in order.
    internal const string CountDuplicateMetadata = """SELECT COUNT(*) - COUNT(DISTINCT "BlocksetID") FROM "Metadataset" """;

    // MetadatasetBlocksetID, read in order: ids ascend within a blockset.
    internal const string FindDuplicateMetadata = """
        INSERT INTO temp."MetadataMerge" ("Old", "New")
        SELECT "ID", "First" FROM (
            SELECT "ID", MIN("ID") OVER (PARTITION BY "BlocksetID") AS "First" FROM "Metadataset")
        WHERE "ID" <> "First"
        """;

    // FileLookupPath, read in order.
    internal const string CountDuplicateFiles = """
        SELECT COUNT(*) FROM (SELECT 1 FROM "FileLookup" GROUP BY "PrefixID", "Path", "BlocksetID", "MetadataID" HAVING COUNT(*) > 1)
        """;

    // Reads FileLookup, only after duplicates were found.
    internal const string FindDuplicateFiles = """
        INSERT INTO temp."FileMerge" ("Old", "New")
        SELECT "ID", "First" FROM (
            SELECT "ID", MIN("ID") OVER (PARTITION BY "PrefixID", "Path", "BlocksetID", "MetadataID") AS "First" FROM "FileLookup")
        WHERE "ID" <> "First"
        """;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalRepairDatabase>();

    /// <summary>File rows of the same path, content and metadata.</summary>
    internal static readonly DuplicateRows Files = new(
        "file entries",
        "DuplicateFileEntries",
        "DuplicateFilesRepairFailed",
        CountDuplicateFiles,
        RepairTables.FileMerge,
        FindDuplicateFiles,
        Merges.ReplaceFiles
    );

    /// <summary>Rows of metadata of the same content.</summary>
    internal static readonly DuplicateRows Metadata = new(
        "metadata hashes",
        "DuplicateMetadataHashes",
        "DuplicateHashesRepairFailed",
        CountDuplicateMetadata,
        RepairTables.MetadataMerge,
        FindDuplicateMetadata,
        Merges.ReplaceMetadata
    );

    /// <summary>Returns whether there was anything to do.</summary>
    /// <exception cref="UserInformationException">Some are left.</exception>
    internal bool Fix(DatabaseSession session)
    {
        var duplicates = Count(session);
        if (duplicates == 0)
            return false;

        session.BeginWriting();
        Log.WriteInformationMessage(LOGTAG, logId, "Found {0} duplicate {1}, repairing", duplicates, what);
        merge.Reset(session);
        session.Run(find);
        replace(session);
        if (Count(session) != 0)
            throw new UserInformationException($"The repair failed, there are still duplicate {what}.", helpId);

        Log.WriteInformationMessage(LOGTAG, logId + "Fixed", "Duplicate {0} repaired successfully", what);
        return true;
    }

    private long Count(DatabaseSession session) => session.ReadNumber(count);
}
