// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>Rows that refer to nothing or contradict each other, and which command mends them.</summary>
internal static class RowFaults
{
    // For schemas with path prefixes (9 and later).

    /// <summary>Scans FilesetEntry; FileLookup by row id.</summary>
    private const string ENTRIES_WITHOUT_FILE =
        """SELECT COUNT(*) FROM "FilesetEntry" WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")""";

    /// <summary>Scans FileLookup; Blockset by row id. Folders and symbolic links have no content.</summary>
    private const string FILES_WITHOUT_CONTENT = """
        SELECT COUNT(*) FROM "FileLookup"
        WHERE "BlocksetID" NOT IN (-100, -200) AND NOT EXISTS (SELECT 1 FROM "Blockset" WHERE "Blockset"."ID" = "FileLookup"."BlocksetID")
        """;

    /// <summary>
    /// Scans FileLookup; Metadataset and Blockset by row id; FilesetentryFileIdIndex for the few that are found: files of no version may
    /// stay without.
    /// </summary>
    private const string FILES_WITHOUT_METADATA = """
        SELECT COUNT(*) FROM "FileLookup"
        WHERE NOT EXISTS (
                SELECT 1 FROM "Metadataset" CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
                WHERE "Metadataset"."ID" = "FileLookup"."MetadataID")
            AND EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = "FileLookup"."ID")
        """;

    /// <summary>Scans Blockset; its part of BlocksetEntry by key, Block by row id.</summary>
    private const string BLOCKSETS_OF_WRONG_LENGTH = """
        SELECT COUNT(*) FROM "Blockset"
        WHERE "Length" <> COALESCE((
            SELECT SUM("Block"."Size")
            FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID"), 0)
        """;

    /// <summary>Scans FileLookup; PathPrefix by row id.</summary>
    private const string FILES_WITHOUT_FOLDER =
        """SELECT COUNT(*) FROM "FileLookup" WHERE NOT EXISTS (SELECT 1 FROM "PathPrefix" WHERE "PathPrefix"."ID" = "FileLookup"."PrefixID")""";

    /// <summary>
    /// One look into Block_IndexByVolumeId a volume; Remotevolume by row id. Some releases booked the empty block without a volume.
    /// </summary>
    private const string BLOCKS_WITHOUT_VOLUME = """
        WITH RECURSIVE "Holder" ("ID") AS (
            SELECT MIN("VolumeID") FROM "Block"
            UNION ALL
            SELECT (SELECT MIN("Block"."VolumeID") FROM "Block" WHERE "Block"."VolumeID" > "Holder"."ID") FROM "Holder" WHERE "Holder"."ID" IS NOT NULL)
        SELECT COALESCE(SUM((SELECT COUNT(*) FROM "Block" WHERE "Block"."VolumeID" = "Holder"."ID" AND "Block"."Size" > 0)), 0)
        FROM "Holder"
        WHERE "Holder"."ID" IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM "Remotevolume" WHERE "Remotevolume"."ID" = "Holder"."ID" AND "Remotevolume"."Type" = 'Blocks')
        """;

    /// <summary>Scans Fileset, one row a version; Remotevolume by row id.</summary>
    private const string VERSIONS_WITHOUT_LIST = """
        SELECT COUNT(*) FROM "Fileset"
        WHERE NOT EXISTS (SELECT 1 FROM "Remotevolume" WHERE "Remotevolume"."ID" = "Fileset"."VolumeID" AND "Remotevolume"."Type" = 'Files')
        """;

    /// <summary>Entries of versions without their file.</summary>
    internal static readonly Fault EntriesWithoutFile = new(
        ENTRIES_WITHOUT_FILE,
        "entry of a version belongs to a file that is not there",
        "entries of versions belong to files that are not there",
        true
    );

    /// <summary>Blocks of which nobody knows where they are. A compact would take what holds them for waste.</summary>
    internal static readonly Fault BlocksWithoutVolume = new(
        BLOCKS_WITHOUT_VOLUME,
        "block lies in a volume that is not known",
        "blocks lie in volumes that are not known",
        false
    );

    /// <summary>Files of versions of which the metadata, or its content, is not there. A list of files would leave them out.</summary>
    internal static readonly Fault FilesWithoutMetadata = new(
        FILES_WITHOUT_METADATA,
        "file has metadata that are not there",
        "files have metadata that are not there",
        false
    );

    /// <summary>All kinds.</summary>
    internal static readonly IReadOnlyList<Fault> All =
    [
        EntriesWithoutFile,
        new(FILES_WITHOUT_CONTENT, "file has a content that is not there", "files have a content that is not there", false),
        FilesWithoutMetadata,
        new(FILES_WITHOUT_FOLDER, "file is in a folder that is not there", "files are in folders that are not there", false),
        new(
            BLOCKSETS_OF_WRONG_LENGTH,
            "content has another length than its blocks together",
            "contents have another length than their blocks together",
            false
        ),
        BlocksWithoutVolume,
        new(VERSIONS_WITHOUT_LIST, "version has no file list volume", "versions have no file list volume", true),
    ];

    /// <summary>A kind of fault.</summary>
    /// <param name="Sql">Counts them.</param>
    /// <param name="One">What is wrong, to follow the number 1.</param>
    /// <param name="Several">The same, to follow any other number.</param>
    /// <param name="IsRepaired">Whether a repair mends them; else it makes anew what only this database knows, and then advises a
    /// recreate.</param>
    internal sealed record Fault(string Sql, string One, string Several, bool IsRepaired)
    {
        /// <summary>What is wrong, without what to do; null if nothing is.</summary>
        internal string? Find(SqliteConnection connection) =>
            DumpQuery.Number(connection, Sql) is > 0 and var count ? SizeText.Count(count, One, Several) : null;
    }

    /// <summary>Fails if a database has rows of some kinds.</summary>
    /// <exception cref="DatabaseInconsistencyException">It has.</exception>
    internal static void Refuse(LocalDatabase database, params Fault[] faults)
    {
        foreach (var fault in faults)
        {
            if (fault.Find(database.Connection) is { } found)
                throw new DatabaseInconsistencyException(
                    $"The database is inconsistent: {found}. {(fault == BlocksWithoutVolume ? Remedy(database) : Advice.InconsistentDatabase())}"
                );
        }
    }

    /// <summary>
    /// Fails if blocks lie in volumes that are not known. After a recreate that has not come to its end that is what it did not find.
    /// </summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseInconsistency</c>, <c>DatabaseRepairInProgress</c>.</exception>
    internal static async Task RefuseLostBlocksAsync(LocalDatabase database, CancellationToken token)
    {
        if (BlocksWithoutVolume.Find(database.Connection) is { } found && await database.RepairInProgressAsync(token).ConfigureAwait(false))
            throw new UserInformationException($"{found}. {LostBlocksMark.ProblemOfRecreate(database)}", "DatabaseRepairInProgress");
        Refuse(database, BlocksWithoutVolume);
    }

    /// <summary>Verifies the consistency of a database, and says what mends it.</summary>
    /// <param name="database">The database.</param>
    /// <param name="settings">Sizes of blocks and hashes.</param>
    /// <param name="withLists">Whether all versions must have their lists.</param>
    /// <param name="token">Cancels.</param>
    /// <param name="remedy">What mends it, if that is not the usual.</param>
    /// <exception cref="DatabaseInconsistencyException">It is inconsistent.</exception>
    internal static async Task VerifyAsync(
        LocalDatabase database,
        BackupSettings settings,
        bool withLists,
        CancellationToken token,
        string? remedy = null
    )
    {
        try
        {
            await database.VerifyConsistencyAsync(settings.BlockSize, settings.DigestSize, withLists, token).ConfigureAwait(false);
        }
        catch (DatabaseInconsistencyException ex)
        {
            throw new DatabaseInconsistencyException($"{ex.Message.TrimEnd('.')}. {remedy ?? Remedy(database)}", ex.HelpID);
        }
    }

    /// <summary>
    /// What helps. Also for what a recreate mends: a repair makes anew before what the folder lacks, and only this database knows.
    /// </summary>
    internal static string Remedy(LocalDatabase database) =>
        LostBlocksMark.IsSet(database.Connection) && BlocksWithoutVolume.Find(database.Connection) is not null
            ? LostBlocksMark.Remedy(database.Connection)
            : Advice.InconsistentDatabase();
}
