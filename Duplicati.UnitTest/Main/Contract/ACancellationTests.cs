// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.UnitTest.Main.Backup;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>A token that is cancelled at the worst moment takes nothing away that was accepted before.</summary>
[TestFixture]
internal sealed class ACancellationTests : BackupTestBase
{
    [Test]
    [Contract("A 0 cancellation")]
    public async Task A_cancellation_during_a_short_member_lets_it_end()
    {
        using var cancel = new CancelAtStep(Db.Session.Statements, 0);
        await Db.RegisterRemoteVolumeAsync("v", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, cancel.Token);
        Assert.That(await Db.GetRemoteVolumeIDAsync("v", default), Is.Positive);
        Assert.That(async () => await Db.GetRemoteVolumeIDAsync("v", cancel.Token), Throws.InstanceOf<OperationCanceledException>());
    }
}
