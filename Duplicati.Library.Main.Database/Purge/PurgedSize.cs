// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Purge;

/// <summary>
/// How much a fileset shrinks: bytes of the blocks that its removed files use and its remaining ones do not. Data is compared with
/// data and metadata with metadata; other filesets do not count. Linear in the entries of the fileset and the uses of those blocks.
/// </summary>
internal static class PurgedSize
{
    internal static long Sum(DatabaseSession session, string digits, long filesetId)
    {
        PurgeTables.PurgedBlock.Reset(session);
        Collect(session, digits, filesetId, PurgeSql.DataCandidates, PurgeSql.KeptData);
        Collect(session, digits, filesetId, PurgeSql.MetadataCandidates, PurgeSql.KeptMetadata);
        return session.ReadNumberDirect(PurgeSql.SumBlocks);
    }

    private static void Collect(DatabaseSession session, string digits, long filesetId, string candidates, string kept)
    {
        PurgeTables.PurgedCandidate.Reset(session);
        VolumeTables.SelectedBlockset.Reset(session);
        using (var select = session.Statements.Prepare(TempTableTemplate.Text(candidates, digits)))
            select.ExecuteNonQuery();
        using (var select = session.Statements.Prepare(TempTableTemplate.Text(kept, digits)))
            select.Bind(1, filesetId).ExecuteNonQuery();
        session.Run(PurgeSql.KeepUnshared);
    }
}

/// <summary>The temporary tables of a purge. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class PurgeTables
{
    internal static readonly TempTable PurgedCandidate = new("PurgedCandidate", PurgeSql.CreateCandidate, PurgeSql.ClearCandidate);
    internal static readonly TempTable PurgedBlock = new("PurgedBlock", PurgeSql.CreateBlock, PurgeSql.ClearBlock);
    internal static readonly TempTableTemplate DeletedFiles = new(
        "TempDeletedFilesTable",
        PurgeSql.CreateDeletedFiles,
        PurgeSql.ClearDeletedFiles,
        PurgeSql.DropDeletedFiles
    );
}
