// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Volumes;

[TestFixture]
public class VolumeLockTests
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
        using var sample = new SampleDatabase();
        sample.Volume("a");
        sample.Volume("b");
        var path = sample.Close();
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
        Assert.That(sample.Rows("""SELECT "Description" FROM "Operation" """), Is.EqualTo(new[] { "Backup", "Lock" }));
    }

    [Test]
    [Contract("C 9 GetRemoteVolumesWithLockExpirationAsync")]
    [Contract("C 0.8 writing while a stream is open")]
    [Contract("A 1.4 row 5")]
    [Contract("A 9 GetRemoteVolumesWithLockExpirationAsync")]
    public async Task The_consumer_may_set_locks_while_it_reads_and_a_child_commits_nothing()
    {
        using var sample = new SampleDatabase();
        for (var i = 0; i < 5; i++)
            sample.Volume("v" + i);
        var path = sample.Close();
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

        Assert.That(sample.Rows("""SELECT DISTINCT "LockExpirationTime" FROM "Remotevolume" """), Is.EqualTo(new[] { "0" }));
    }

    [Test]
    [Contract("C 9 UpdateRemoteVolumeLockExpirationAsync")]
    [Contract("A 9 UpdateRemoteVolumeLockExpirationAsync")]
    public async Task An_unknown_volume_cannot_be_locked()
    {
        using var sample = new SampleDatabase();
        await using var db = await LocalLockDatabase.CreateAsync(sample.Close(), null, default);

        Assert.That(
            () => db.UpdateRemoteVolumeLockExpirationAsync("none", s_time, default),
            Throws.TypeOf<Exception>().With.Message.EqualTo("Unexpected number of remote volumes updated: 0, expected 1")
        );
    }
}
