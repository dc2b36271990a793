// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Metadata;
using Duplicati.Library.Main.Database.Session;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>Replaces metadata without content, which no reader understands, by empty metadata or else by the shortest there is.</summary>
internal static class ZeroLengthMetadata
{
    // Reads Blockset, which has no index on the length, once a repair; MetadatasetBlocksetID.
    internal const string CountSql = """
        SELECT COUNT(*) FROM "Blockset" s CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        WHERE s."Length" = 0
        """;

    // Reads Blockset, only after such metadata was found; MetadatasetBlocksetID.
    internal const string FindBlocksets = """
        INSERT OR IGNORE INTO temp."ZeroLengthBlockset" ("ID")
        SELECT s."ID" FROM "Blockset" s CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        WHERE s."Length" = 0
        """;

    // MetadatasetBlocksetID.
    private const string FindMetadata = """
        INSERT INTO temp."MetadataMerge" ("Old", "New")
        SELECT m."ID", ?1 FROM temp."ZeroLengthBlockset" s CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        """;

    // MetadatasetBlocksetID.
    private const string MetadataOfBlockset = """SELECT MIN("ID") FROM "Metadataset" WHERE "BlocksetID" = ?1""";

    // MetadatasetBlocksetID and nn_FileLookup_BlockMeta, for the few blocksets. EXISTS would be turned into a set of all rows, a scalar
    // with a limit is not.
    private const string KeepUsedBlocksets = """
        DELETE FROM temp."ZeroLengthBlockset"
        WHERE (SELECT m."ID" FROM "Metadataset" m WHERE m."BlocksetID" = temp."ZeroLengthBlockset"."ID" LIMIT 1) IS NOT NULL
           OR (SELECT l."ID" FROM "FileLookup" l WHERE l."BlocksetID" = temp."ZeroLengthBlockset"."ID" LIMIT 1) IS NOT NULL
        """;

    // Key of BlocksetEntry.
    private const string DeleteEntries =
        """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."ZeroLengthBlockset")""";

    // BlocklistHashBlocksetIDIndex.
    private const string DeleteBlocklists =
        """DELETE FROM "BlocklistHash" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."ZeroLengthBlockset")""";

    // By id.
    private const string DeleteBlocksets = """DELETE FROM "Blockset" WHERE "ID" IN (SELECT "ID" FROM temp."ZeroLengthBlockset")""";

    private static readonly string LOGTAG = Log.LogTagFromType<LocalRepairDatabase>();

    /// <summary>Returns whether there was anything to do.</summary>
    internal static bool Fix(DatabaseSession session, EmptyMetadata empty)
    {
        var count = Count(session);
        if (count == 0)
            return false;

        session.BeginWriting();
        Log.WriteInformationMessage(LOGTAG, "ZeroLengthMetadata", "Found {0} metadata entries without content, repairing", count);
        try
        {
            Replace(session, empty);
        }
        finally
        {
            ClearTables(session);
        }

        if (Count(session) != 0)
            throw new UserInformationException("The repair failed, there is still metadata without content.", "MetadataRepairFailed");

        Log.WriteInformationMessage(LOGTAG, "ZeroLengthMetadataRepaired", "Metadata without content repaired successfully");
        return true;
    }

    private static void Replace(DatabaseSession session, EmptyMetadata empty)
    {
        RepairTables.ZeroLengthBlockset.Reset(session);
        session.Run(FindBlocksets);
        var replacement = FindReplacement(session, empty);
        if (replacement < 0)
            throw new UserInformationException(
                "There is no metadata that could replace the metadata without content.",
                "FailedToLocateEmptyMetadataBlockset"
            );

        RepairTables.MetadataMerge.Reset(session);
        using (var find = session.Take(FindMetadata))
            find.Bind(1, MetadataOf(session, replacement)).ExecuteNonQuery();
        Merges.ReplaceMetadata(session);

        session.AnnounceRemoval();
        session.Run(KeepUsedBlocksets);
        session.Run(DeleteEntries);
        session.Run(DeleteBlocklists);
        session.Run(DeleteBlocksets);
    }

    // Not EmptyMetadataReads.Find: that would offer a blockset without content before the shortest one with content.
    private static long FindReplacement(DatabaseSession session, EmptyMetadata empty)
    {
        MetadataTables.MissingVolume.Reset(session);
        using var byHash = session.Take(EmptyMetadataReads.ByHash);
        var id = byHash.Bind(1, empty.FullHash).Bind(2, empty.Length).ExecuteInt64();
        if (id >= 0)
            return id;

        return session.ReadNumber(EmptyMetadataReads.Shortest, ifNone: -1);
    }

    // The content may be known as that of a file only.
    private static long MetadataOf(DatabaseSession session, long blocksetId)
    {
        using var find = session.Take(MetadataOfBlockset);
        var id = find.Bind(1, blocksetId).ExecuteInt64();
        return id >= 0 ? id : MetadatasetWrites.Add(session, blocksetId, null);
    }

    private static void ClearTables(DatabaseSession session)
    {
        try
        {
            RepairTables.ZeroLengthBlockset.Reset(session);
            RepairTables.MetadataMerge.Reset(session);
        }
        catch (SqliteException ex)
        {
            Log.WriteVerboseMessage(LOGTAG, "ErrorDroppingTempTable", ex, "Failed to empty the temporary tables");
        }
    }

    private static long Count(DatabaseSession session) => session.ReadNumber(CountSql);
}

/// <summary>The blob that stands for metadata without any entry: a byte order mark and an empty JSON object.</summary>
/// <param name="FullHash">Its hash as Base64.</param>
/// <param name="Length">Its bytes.</param>
internal readonly record struct EmptyMetadata(string FullHash, long Length)
{
    private static ReadOnlySpan<byte> Blob => "\uFEFF{}"u8;

    /// <summary>The blob with its hash by a hash function of files.</summary>
    internal static EmptyMetadata Of(string fileHashAlgorithm)
    {
        using var hasher = Digest.Create(fileHashAlgorithm);
        return new EmptyMetadata(Convert.ToBase64String(hasher.ComputeHash(Blob.ToArray())), Blob.Length);
    }
}
