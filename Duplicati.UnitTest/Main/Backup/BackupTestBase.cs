// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>A new backup in progress for each test.</summary>
public abstract class BackupTestBase
{
    private protected BackupFixture Backup { get; private set; } = null!;

    private protected LocalBackupDatabase Db => Backup.Database;

    [SetUp]
    public async Task MakeBackup() => Backup = await BackupFixture.CreateAsync();

    [TearDown]
    public async Task RemoveBackup() => await Backup.DisposeAsync();
}
