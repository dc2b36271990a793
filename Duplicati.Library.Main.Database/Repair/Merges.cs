// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>
/// Replaces rows of metadata and of files by others. What replaces what is in the temporary tables MetadataMerge and FileMerge.
/// </summary>
/// <remarks>Must be called with the session's gate held. Nothing here commits.</remarks>
internal static class Merges
{
    /// <summary>Puts the files' replacements in all filesets and deletes the files.</summary>
    internal static void ReplaceFiles(DatabaseSession session)
    {
        session.Run(MergeSql.RedirectEntries);
        session.Run(MergeSql.DeleteEntries);
        session.Run(MergeSql.DeleteFiles);
    }

    /// <summary>
    /// Gives all files the metadata's replacements and deletes the metadata. Files that become equal by that are made one, with the lowest
    /// id.
    /// </summary>
    internal static void ReplaceMetadata(DatabaseSession session)
    {
        // Before the files change: equal files would violate the unique index.
        RepairTables.FileMerge.Reset(session);
        session.Run(MergeSql.FindFilesThatBecomeEqual);
        ReplaceFiles(session);
        session.Run(MergeSql.RedirectFiles);
        session.Run(MergeSql.DeleteMetadata);
    }
}

/// <summary>The temporary tables of repairs. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class RepairTables
{
    internal static readonly TempTable MissingBlock = new("MissingBlock", MissingBlockSql.Create, MissingBlockSql.Clear);
    internal static readonly TempTable MetadataMerge = new("MetadataMerge", MergeSql.CreateMetadata, MergeSql.ClearMetadata);
    internal static readonly TempTable FileMerge = new("FileMerge", MergeSql.CreateFiles, MergeSql.ClearFiles);
    internal static readonly TempTable ZeroLengthBlockset = new(
        "ZeroLengthBlockset",
        ZeroLengthMetadataSql.CreateBlocksets,
        ZeroLengthMetadataSql.ClearBlocksets
    );
}
