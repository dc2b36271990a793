// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Repair;

/// <summary>A database that a test fills, and the repair object that opens it when first used.</summary>
public abstract class RepairTestBase : SampleTestBase
{
    private protected static readonly CancellationToken None = CancellationToken.None;

    private LocalRepairDatabase? m_db;

    /// <summary>Opens what has been filled so far.</summary>
    private protected LocalRepairDatabase Db =>
        m_db ??= LocalRepairDatabase.CreateRepairDatabaseAsync(Data.Close(), null, None).GetAwaiter().GetResult();

    [TearDown]
    public void Remove()
    {
        m_db?.Dispose();
        m_db = null;
    }

    /// <summary>Rows that a second connection sees: committed ones.</summary>
    private protected string[] Committed(string sql) => Data.Rows(sql);

    /// <summary>Rows that the open transaction sees, columns joined by a bar.</summary>
    private protected List<string> Rows(string sql) => [.. Db.Connection.Lines(sql)];

    private protected void Execute(string sql) => Db.Connection.Execute(sql);
}
