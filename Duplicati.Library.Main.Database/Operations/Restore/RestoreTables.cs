// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// The temporary tables of a restore. Their names are fixed, so one list at a time can live on a connection: this service
/// knows whose it is, and tells the owner when a rollback took rows away.
/// </summary>
internal sealed class RestoreTables : ITransactionCache
{
    private RestoreFileList? m_owner;

    private RestoreTables() { }

    internal static RestoreTables Of(DatabaseSession session) => session.Service(static _ => new RestoreTables());

    /// <summary>Makes a list the one that uses the tables.</summary>
    /// <exception cref="InvalidOperationException">Another object on this connection uses them.</exception>
    internal void Claim(RestoreFileList owner)
    {
        if (m_owner is not null && m_owner != owner)
            throw new InvalidOperationException("Another restore on this connection has a list of files; drop that first.");
        m_owner = owner;
    }

    internal void Release(RestoreFileList owner)
    {
        if (m_owner == owner)
            m_owner = null;
    }

    public void Discard() => m_owner?.RolledBack();
}

/// <summary>The temporary tables of a restore. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class RestoreTempTables
{
    // Temporary; rows are appended in key order, data first. About 25 bytes a row: hashes stay in Block.
    private const string Create = """
        CREATE TEMP TABLE IF NOT EXISTS "RestoreBlock" (
            "Metadata" INTEGER NOT NULL,
            "FileID" INTEGER NOT NULL,
            "Index" INTEGER NOT NULL,
            "BlockID" INTEGER NOT NULL,
            "VolumeID" INTEGER NOT NULL,
            "Size" INTEGER NOT NULL,
            "Restored" INTEGER NOT NULL,
            PRIMARY KEY ("Metadata", "FileID", "Index")) WITHOUT ROWID
        """;

    // Temporary; files whose last missing block has been marked.
    private const string CreateNewlyDone = """CREATE TEMP TABLE IF NOT EXISTS "RestoreNewlyDone" ("ID" INTEGER PRIMARY KEY)""";

    // Temporary; rows are appended in id order.
    private const string CreateSql = """
        CREATE TEMP TABLE IF NOT EXISTS "RestoreFile" (
            "ID" INTEGER PRIMARY KEY,
            "Path" TEXT NOT NULL,
            "BlocksetID" INTEGER NOT NULL,
            "MetadataID" INTEGER NOT NULL,
            "DataVerified" INTEGER NOT NULL,
            "LocalSourceExists" INTEGER NOT NULL,
            "LatestBlocksetID" INTEGER NULL)
        """;

    internal static readonly TempTable RestoreFile = new("RestoreFile", CreateSql);
    internal static readonly TempTable RestoreBlock = new("RestoreBlock", Create);
    internal static readonly TempTable RestoreNewlyDone = new("RestoreNewlyDone", CreateNewlyDone);
}
