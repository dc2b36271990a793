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
    internal static readonly TempTable RestoreFile = new("RestoreFile", RestoreFileSql.Create, RestoreFileSql.Clear);
    internal static readonly TempTable RestoreBlock = new("RestoreBlock", RestoreBlockSql.Create, RestoreBlockSql.Clear);
    internal static readonly TempTable RestoreNewlyDone = new(
        "RestoreNewlyDone",
        RestoreBlockSql.CreateNewlyDone,
        RestoreBlockSql.ClearNewlyDone
    );
}
