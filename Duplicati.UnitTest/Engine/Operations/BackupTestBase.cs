// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A backup for each test, which makes it, and a remote folder that nothing stands before afterwards.</summary>
internal abstract class BackupTestBase
{
    private protected BackupCase Backup { get; set; } = null!;

    [TearDown]
    public void RemoveBackup()
    {
        RemoteFolder.Through.Value = null;
        Backup.Dispose();
    }
}
