// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>Lock times, set while volumes are listed, by a child that is disposed synchronously.</summary>
[TestFixture]
public sealed class C09LockTests
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    [Test]
    [Contract("C 10 SetLocksHandler")]
    [Contract("C 12 row 6")]
    [Contract("C 0.8 writing while a stream is open")]
    public async Task Locks_are_set_on_the_volumes_of_filesets_while_these_are_listed()
    {
        using var data = new SampleDatabase();
        var blocks = data.Volume("blocks");
        data.Volume("other");
        var time = new DateTime(2030, 1, 1, 0, 0, 0, DateTimeKind.Utc);
        var fileset = data.Fileset(1000, data.File("/a", data.Blockset("a", 1, data.Block("a", 1, blocks))));
        await using (var parent = await LocalDatabase.CreateLocalDatabaseAsync(data.Close(), "Backup", true, null, s_none))
        {
            using (var db = await LocalLockDatabase.CreateAsync(parent, s_none))
            {
                await foreach (var (name, _) in db.GetRemoteVolumesDependingOnFilesetsAsync([fileset], s_none))
                    await db.UpdateRemoteVolumeLockExpirationAsync(name, time, s_none);
                Assert.That(
                    async () => await db.UpdateRemoteVolumeLockExpirationAsync("unknown", time, s_none),
                    Throws.TypeOf<Exception>()
                );
                await db.UpdateRemoteVolumeLockExpirationAsync("other", time.AddDays(1), s_none);
                await db.Transaction.CommitAsync(s_none);
            }

            Assert.That(parent.Connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
        }

        Assert.That(
            data.Rows("""SELECT "Name", datetime("LockExpirationTime", 'unixepoch') FROM "Remotevolume" """),
            Is.EqualTo(new[] { "blocks|2030-01-01 00:00:00", "duplicati-1000.dlist.zip|2030-01-01 00:00:00", "other|2030-01-02 00:00:00" })
        );
    }
}
