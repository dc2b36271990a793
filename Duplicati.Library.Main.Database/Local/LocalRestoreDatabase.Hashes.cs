// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Restore;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>The table, seen by all connections, that remembers which contents were restored already.</summary>
internal partial class LocalRestoreDatabase
{
    /// <summary>Makes the table, instead of one that is there, and commits.</summary>
    /// <param name="tableName">Any name that no other table has.</param>
    /// <param name="token">Cancels the call.</param>
    public Task CreateRestoredHashesTableAsync(string tableName, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                session.Execute(RestoredHashesSql.Drop(tableName));
                session.Execute(RestoredHashesSql.Create(tableName));
                m_rtr.Commit("CreateRestoredHashesTable");
            },
            token
        );

    /// <summary>Drops the table if it is there, and commits.</summary>
    public Task DropRestoredHashesTableAsync(string tableName, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                session.Execute(RestoredHashesSql.Drop(tableName));
                m_rtr.Commit("DropRestoredHashesTable");
            },
            token
        );

    /// <summary>Adds the hashes of the verified files in the list, and commits.</summary>
    /// <returns>Number of hashes that were not there; 0 without a list.</returns>
    public Task<long> AddCurrentFilesToRestoredHashesAsync(string tableName, CancellationToken token) =>
        Session.LongAsync(
            _ =>
            {
                if (!List.Exists)
                    return 0;
                var added = Run(RestoredHashesSql.Add(tableName));
                m_rtr.Commit("AddCurrentFilesToRestoredHashes");
                return added;
            },
            token
        );

    /// <summary>Removes files from the list whose hash is in the table.</summary>
    /// <returns>Number of entries removed; 0 without a list or a table name.</returns>
    public Task<long> RemoveFilesByRestoredHashesAsync(string restoredHashesTable, CancellationToken token) =>
        Session.LongAsync(
            _ => List.Exists && !string.IsNullOrEmpty(restoredHashesTable) ? Run(RestoredHashesSql.RemoveFiles(restoredHashesTable)) : 0,
            token
        );

    private long Run(string sql)
    {
        using var statement = Session.Statements.Prepare(sql);
        return statement.ExecuteNonQuery();
    }
}
