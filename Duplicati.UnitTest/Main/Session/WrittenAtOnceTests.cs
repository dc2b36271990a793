// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// Rows that members have accepted are in the tables at once, and in no other connection before the commit.
/// </summary>
[TestFixture]
internal sealed class WrittenAtOnceTests
{
    private static readonly DateTime s_time = new(2024, 5, 1, 0, 0, 0, DateTimeKind.Utc);

    private BackupFixture m_backup = null!;
    private long m_fileset;

    [SetUp]
    public async Task SetUp()
    {
        m_backup = await BackupFixture.CreateAsync();
        var file = await m_backup.AddFileAsync("/a", 1);
        m_fileset = await m_backup.Database.CreateFilesetAsync(
            await m_backup.AddVolumeAsync("list", RemoteVolumeType.Files),
            s_time,
            default
        );
        await m_backup.Database.AddBlockAsync(BlockFixture.Hash(77), 10, m_backup.VolumeId, default);
        await m_backup.Database.AddKnownFileAsync(file, s_time, default);
    }

    [TearDown]
    public async Task TearDown() => await m_backup.DisposeAsync();

    [Test]
    [Contract("B 9.8 rule 1")]
    public void What_a_member_has_accepted_is_in_the_tables()
    {
        var session = m_backup.Database.Session;
        lock (session.ConnectionLock)
        {
            using var blocks = session.Take($"""SELECT COUNT(*) FROM "Block" WHERE "Hash" = '{BlockFixture.Hash(77)}'""");
            using var entries = session.Take($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {m_fileset}""");
            Assert.That((blocks.ExecuteInt64(), entries.ExecuteInt64()), Is.EqualTo((1L, 1L)));
        }
    }

    [Test]
    [Contract("B 9.8 rule 1")]
    public void What_has_not_been_committed_is_in_no_other_connection() =>
        Assert.That(
            m_backup.Committed("""SELECT (SELECT COUNT(*) FROM "Block") + (SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" > 1)"""),
            Is.EqualTo(m_backup.Committed("SELECT 2"))
        );

    [Test]
    [Contract("B 9.8 rule 1")]
    public async Task A_disposal_rolls_everything_back_that_was_not_committed()
    {
        var before = m_backup.Committed("""SELECT COUNT(*) FROM "Block" """);
        await m_backup.ReopenAsync();
        Assert.That(m_backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(before));
    }
}
