// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Volumes;

[TestFixture]
public class VolumeLockTests : SampleTestBase
{
    private static readonly DateTime s_time = new(2030, 5, 6, 7, 8, 9, DateTimeKind.Utc);

    [Test]
    [Contract("C 9 UpdateRemoteVolumeLockExpirationAsync")]
    [Contract("C 9 GetRemoteVolumesWithLockExpirationAsync")]
    [Contract("C 12 row 6")]
    [Contract("A 1.5 row 8")]
    [Contract("A 9 UpdateRemoteVolumeLockExpirationAsync")]
    public async Task A_lock_time_is_kept_to_the_second()
    {
        Data.Volume("a");
        Data.Volume("b");
        var path = Data.Close();
        await using (var db = await LocalLockDatabase.CreateAsync(path, null, default))
        {
            await db.UpdateRemoteVolumeLockExpirationAsync("a", s_time.AddMilliseconds(999).ToLocalTime(), default);
            await db.Transaction.CommitAsync();
        }

        await using var reopened = await LocalLockDatabase.CreateAsync(path, null, default);
        var locks = await reopened.GetRemoteVolumesWithLockExpirationAsync(false, default).ToListAsync();
        Assert.That(locks, Is.EqualTo(new[] { ("a", (DateTime?)s_time), ("b", DateTime.UnixEpoch) }));
        Assert.That(locks.Select(x => x.LockExpirationTime!.Value.Kind), Is.All.EqualTo(DateTimeKind.Utc));
        Assert.That(
            await reopened.GetRemoteVolumesWithLockExpirationAsync(true, default).ToListAsync(),
            Is.EqualTo(new[] { ("b", (DateTime?)DateTime.UnixEpoch) })
        );
        Assert.That(Data.Rows("""SELECT "Description" FROM "Operation" """), Is.EqualTo(new[] { "Backup", "Lock" }));
    }

    [Test]
    [Contract("C 9 GetRemoteVolumesWithLockExpirationAsync")]
    [Contract("C 0.8 writing while a stream is open")]
    [Contract("A 1.4 row 5")]
    [Contract("A 9 GetRemoteVolumesWithLockExpirationAsync")]
    public async Task The_consumer_may_set_locks_while_it_reads_and_a_child_commits_nothing()
    {
        for (var i = 0; i < 5; i++)
            Data.Volume("v" + i);
        var path = Data.Close();
        await using (var parent = await LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default))
        {
            var db = await LocalLockDatabase.CreateAsync(parent, default);
            var seen = 0;
            await foreach (var (name, _) in db.GetRemoteVolumesWithLockExpirationAsync(true, default))
            {
                await db.UpdateRemoteVolumeLockExpirationAsync(name, s_time, default);
                seen++;
            }

            Assert.That(seen, Is.EqualTo(5));
            Assert.That(await db.GetRemoteVolumesWithLockExpirationAsync(true, default).CountAsync(), Is.Zero);
            await db.DisposeAsync();
        }

        Assert.That(Data.Rows("""SELECT DISTINCT "LockExpirationTime" FROM "Remotevolume" """), Is.EqualTo(new[] { "0" }));
    }

    [Test]
    [Contract("C 10 SetLocksHandler")]
    [Contract("C 12 row 6")]
    [Contract("C 0.8 writing while a stream is open")]
    public async Task Locks_are_set_on_the_volumes_of_filesets_while_these_are_listed()
    {
        var blocks = Data.Volume("blocks");
        Data.Volume("other");
        var time = new DateTime(2030, 1, 1, 0, 0, 0, DateTimeKind.Utc);
        var fileset = Data.Fileset(1000, Data.File("/a", Data.Blockset("a", 1, Data.Block("a", 1, blocks))));
        await using (var parent = await LocalDatabase.CreateLocalDatabaseAsync(Data.Close(), "Backup", true, null, default))
        {
            using (var db = await LocalLockDatabase.CreateAsync(parent, default))
            {
                await foreach (var (name, _) in db.GetRemoteVolumesDependingOnFilesetsAsync([fileset], default))
                    await db.UpdateRemoteVolumeLockExpirationAsync(name, time, default);
                Assert.That(
                    async () => await db.UpdateRemoteVolumeLockExpirationAsync("unknown", time, default),
                    Throws.TypeOf<Exception>()
                );
                await db.UpdateRemoteVolumeLockExpirationAsync("other", time.AddDays(1), default);
                await db.Transaction.CommitAsync(default);
            }

            Assert.That(parent.Connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
        }

        Assert.That(
            Data.Rows("""SELECT "Name", datetime("LockExpirationTime", 'unixepoch') FROM "Remotevolume" """),
            Is.EqualTo(new[] { "blocks|2030-01-01 00:00:00", "duplicati-1000.dlist.zip|2030-01-01 00:00:00", "other|2030-01-02 00:00:00" })
        );
    }

    [Test]
    [Contract("C 9 UpdateRemoteVolumeLockExpirationAsync")]
    [Contract("A 9 UpdateRemoteVolumeLockExpirationAsync")]
    public async Task An_unknown_volume_cannot_be_locked()
    {
        await using var db = await LocalLockDatabase.CreateAsync(Data.Close(), null, default);

        Assert.That(
            () => db.UpdateRemoteVolumeLockExpirationAsync("none", s_time, default),
            Throws.TypeOf<Exception>().With.Message.EqualTo("Unexpected number of remote volumes updated: 0, expected 1")
        );
    }
}
