// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>A token that is cancelled at the worst moment takes nothing away that was accepted before.</summary>
[TestFixture]
internal sealed class ACancellationTests
{
    private BackupFixture m_backup = null!;

    private LocalBackupDatabase Db => m_backup.Database;

    [SetUp]
    public async Task SetUp() => m_backup = await BackupFixture.CreateAsync();

    [TearDown]
    public async Task TearDown() => await m_backup.DisposeAsync();

    [Test]
    [Contract("A 0 cancellation")]
    public async Task A_cancellation_while_pending_rows_are_written_keeps_them_and_the_transaction()
    {
        using var source = new CancellationTokenSource();
        await Db.RegisterRemoteVolumeAsync("uncommitted", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
        for (var i = 0; i < 500; i++)
            await Db.AddBlockAsync(BlockFixture.Hash(i), 10, m_backup.VolumeId, default);

        // The reading member writes them first; the engine would answer an interrupt there with a rollback of everything.
        Db.Session.Statements.Fault = sql =>
        {
            if (sql.Contains("""INSERT INTO "Block" """.Trim(), StringComparison.Ordinal))
                source.Cancel();
            return 0;
        };
        try
        {
            await foreach (var _ in Db.GetBlocksAsync(m_backup.VolumeId, source.Token)) { }
        }
        catch (OperationCanceledException) { }

        Db.Session.Statements.Fault = null;
        Assert.That(source.IsCancellationRequested, Is.True);
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(500));
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "Remotevolume" WHERE "Name" = 'uncommitted'"""), Is.EqualTo(1));
    }

    [Test]
    [Contract("A 0 cancellation")]
    public async Task A_cancellation_during_a_short_member_lets_it_end()
    {
        using var source = new CancellationTokenSource();
        Db.Session.Statements.Fault = _ =>
        {
            source.Cancel();
            return 0;
        };
        await Db.RegisterRemoteVolumeAsync("v", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, source.Token);
        Db.Session.Statements.Fault = null;
        Assert.That(await Db.GetRemoteVolumeIDAsync("v", default), Is.Positive);
        Assert.That(async () => await Db.GetRemoteVolumeIDAsync("v", source.Token), Throws.InstanceOf<OperationCanceledException>());
    }
}
