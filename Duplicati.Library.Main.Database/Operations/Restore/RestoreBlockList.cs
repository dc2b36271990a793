// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// The blocks that the entries of a file list need, one row a use. Only a restore that marks what it has needs it, so it is
/// built when it is first used.
/// </summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal sealed class RestoreBlockList
{
    // Temporary; made after filling, shrinks as blocks are marked.
    private const string CreateMissingIndex =
        """CREATE INDEX temp."RestoreBlockMissing" ON "RestoreBlock" ("BlockID") WHERE "Restored" = 0""";

    private const string DropMissingIndex = """DROP INDEX IF EXISTS temp."RestoreBlockMissing" """;

    // One scan of the list; key of BlocksetEntry (BlocksetID, Index), Block by id. Appends in key order.
    internal const string FillData = """
        INSERT INTO temp."RestoreBlock" ("Metadata", "FileID", "Index", "BlockID", "VolumeID", "Size", "Restored")
        SELECT 0, r."ID", e."Index", e."BlockID", b."VolumeID", b."Size", 0
        FROM temp."RestoreFile" r
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = r."BlocksetID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        ORDER BY r."ID", e."Index"
        """;

    // One scan of the list; Metadataset by id, then as FillData.
    internal const string FillMetadata = """
        INSERT INTO temp."RestoreBlock" ("Metadata", "FileID", "Index", "BlockID", "VolumeID", "Size", "Restored")
        SELECT 1, r."ID", e."Index", e."BlockID", b."VolumeID", b."Size", 0
        FROM temp."RestoreFile" r
        CROSS JOIN "Metadataset" m ON m."ID" = r."MetadataID"
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = m."BlocksetID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        ORDER BY r."ID", e."Index"
        """;

    // One scan of the block list.
    private const string TotalSize = """SELECT SUM("Size") FROM temp."RestoreBlock" """;

    // The key of the block list.
    internal const string CountOfFile = """
        SELECT COUNT(*), SUM("Restored"), SUM(CASE WHEN "Restored" = 1 THEN "Size" ELSE 0 END), SUM("Size")
        FROM temp."RestoreBlock" WHERE "Metadata" = ?1 AND "FileID" = ?2
        """;

    private readonly DatabaseSession m_session;
    private bool m_built;
    private long m_builtIn;

    internal RestoreBlockList(DatabaseSession session)
    {
        m_session = session;
        Progress = new RestoreProgress(session);
    }

    /// <summary>Whether blocks have been asked for; until then the list is empty.</summary>
    internal bool Wanted { get; private set; }

    /// <summary>Whether blocks of metadata are left out.</summary>
    internal bool SkipMetadata { get; private set; }

    /// <summary>What has been restored.</summary>
    internal RestoreProgress Progress { get; }

    /// <summary>Asks for the blocks of all entries, which costs nothing yet.</summary>
    internal void Want(bool skipMetadata)
    {
        Forget();
        Wanted = true;
        SkipMetadata = skipMetadata;
    }

    /// <summary>Back to an empty list that nobody has asked for.</summary>
    internal void Forget()
    {
        Drop();
        Wanted = false;
        Progress.Stop();
    }

    /// <summary>Empties the table.</summary>
    internal void Drop()
    {
        if (!m_built)
            return;

        m_built = false;
        m_session.Execute(DropMissingIndex);
        m_session.Run(RestoreTempTables.RestoreBlock.Clear);
    }

    /// <summary>A rollback took back what the transaction with that number had put in.</summary>
    internal void RolledBack(long ended)
    {
        m_built &= m_builtIn != ended;
        Progress.Recount();
    }

    /// <summary>Makes sure that the table is filled. The first call costs one row a block.</summary>
    internal void Build()
    {
        if (m_built)
            return;

        RestoreTempTables.RestoreBlock.Reset(m_session);
        m_session.Execute(DropMissingIndex);
        if (Wanted)
            Fill();
        m_session.Execute(CreateMissingIndex);
        m_built = true;
        m_builtIn = m_session.TransactionCount;
    }

    private void Fill()
    {
        m_session.Run(FillData);
        if (!SkipMetadata)
            m_session.Run(FillMetadata);

        var size = m_session.ReadNumber(TotalSize);
        Logging.Log.WriteVerboseMessage(
            RestoreLog.Tag,
            "RestoreSourceSize",
            "Total number of bytes to restore: {0}",
            Library.Utility.Utility.FormatSizeString(size)
        );
    }
}
