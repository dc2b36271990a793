// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>A new backup of a few versions for each test, and another connection to its database.</summary>
internal abstract class OtherConnectionTestBase
{
    private protected RandomBackup Backup { get; private set; } = null!;

    private protected SqliteConnection Other { get; private set; } = null!;

    [SetUp]
    public void MakeBackup()
    {
        Backup = new RandomBackup(1);
        Other = Databases.Open(Backup.Path);
    }

    [TearDown]
    public void RemoveBackup()
    {
        Other.Dispose();
        Backup.Dispose();
    }
}
