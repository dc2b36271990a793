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
        session.Run(ZeroLengthMetadataSql.FindBlocksets);
        var replacement = FindReplacement(session, empty);
        if (replacement < 0)
            throw new UserInformationException(
                "There is no metadata that could replace the metadata without content.",
                "FailedToLocateEmptyMetadataBlockset"
            );

        RepairTables.MetadataMerge.Reset(session);
        using (var find = session.Take(ZeroLengthMetadataSql.FindMetadata))
            find.Bind(1, MetadataOf(session, replacement)).ExecuteNonQuery();
        Merges.ReplaceMetadata(session);

        session.Run(ZeroLengthMetadataSql.KeepUsedBlocksets);
        session.Run(ZeroLengthMetadataSql.DeleteEntries);
        session.Run(ZeroLengthMetadataSql.DeleteBlocklists);
        session.Run(ZeroLengthMetadataSql.DeleteBlocksets);
    }

    // Not EmptyMetadataReads.Find: that would offer a blockset without content before the shortest one with content.
    private static long FindReplacement(DatabaseSession session, EmptyMetadata empty)
    {
        MetadataTables.MissingVolume.Reset(session);
        using var byHash = session.Take(EmptyMetadataSql.ByHash);
        var id = byHash.Bind(1, empty.FullHash).Bind(2, empty.Length).ExecuteInt64();
        if (id >= 0)
            return id;

        return session.ReadNumber(EmptyMetadataSql.Shortest, ifNone: -1);
    }

    // The content may be known as that of a file only.
    private static long MetadataOf(DatabaseSession session, long blocksetId)
    {
        using var find = session.Take(ZeroLengthMetadataSql.MetadataOfBlockset);
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

    private static long Count(DatabaseSession session) => session.ReadNumber(ZeroLengthMetadataSql.Count);
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
