// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Session;

[TestFixture]
internal sealed class WrittenAtOnceTests : BackupTestBase
{
    [Test]
    [Contract("B 9.8 rule 1")]
    public async Task What_a_member_has_accepted_is_in_the_tables_and_in_no_other_connection_and_a_disposal_takes_it_back()
    {
        var time = new DateTime(2024, 5, 1, 0, 0, 0, DateTimeKind.Utc);
        var file = await Backup.AddFileAsync("/a", 1);
        var fileset = await Db.CreateFilesetAsync(await Backup.AddVolumeAsync("list", RemoteVolumeType.Files), time, default);
        await Db.AddBlockAsync(BlockFixture.Hash(77), 10, Backup.VolumeId, default);
        await Db.AddKnownFileAsync(file, time, default);

        var session = Db.Session;
        lock (session.ConnectionLock)
        {
            using var blocks = session.Take($"""SELECT COUNT(*) FROM "Block" WHERE "Hash" = '{BlockFixture.Hash(77)}'""");
            using var entries = session.Take($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {fileset}""");
            Assert.That((blocks.ExecuteInt64(), entries.ExecuteInt64()), Is.EqualTo((1L, 1L)));
        }

        AssertCommitted();
        await Backup.ReopenAsync();
        AssertCommitted();

        void AssertCommitted()
        {
            Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(2), "of the file and its metadata");
            Assert.That(Backup.Committed($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {fileset}"""), Is.Zero);
        }
    }
}
