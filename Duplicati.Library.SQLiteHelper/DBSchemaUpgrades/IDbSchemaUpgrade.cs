// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable disable

using System.Data;

namespace Duplicati.Library.SQLiteHelper.DBUpdates;

/// <summary>Work of one schema version that SQL alone cannot do.</summary>
public interface IDbSchemaUpgrade
{
    /// <summary>Runs before the script, in its transaction.</summary>
    /// <param name="connection">The database, in a transaction that must be neither committed nor rolled back.</param>
    void BeforeSql(IDbConnection connection);

    /// <summary>Runs after the script, in its transaction.</summary>
    /// <param name="connection">The database, in a transaction that must be neither committed nor rolled back.</param>
    void AfterSql(IDbConnection connection);
}
