// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class VolumeTests : LocalDatabaseTestBase
{
    [Test]
    [Contract("A 6.5 GetRemoteVolumeIDAsync")]
    [Contract("A 6.5 GetRemoteVolumeAsync")]
    [Contract("A 6.6 RegisterRemoteVolumeAsync")]
    public async Task A_registered_volume_is_found_by_name_with_the_values_given()
    {
        var id = await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, 17, RemoteVolumeState.Uploading, default);

        var volume = await Db.GetRemoteVolumeAsync("b1", default);

        Assert.That(
            volume,
            Is.EqualTo(
                new RemoteVolumeEntry(
                    id,
                    "b1",
                    null!,
                    17,
                    RemoteVolumeType.Blocks,
                    RemoteVolumeState.Uploading,
                    DateTime.UnixEpoch,
                    DateTime.UnixEpoch,
                    DateTime.UnixEpoch
                )
            )
        );
        Assert.That(volume.LockExpirationTime!.Value.Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That(await Db.GetRemoteVolumeIDAsync("b1", default), Is.EqualTo(id));
        Assert.That(
            Scalar("SELECT VerificationCount || ':' || OperationID FROM Remotevolume"),
            Is.EqualTo("0:" + Scalar("SELECT MAX(ID) FROM Operation"))
        );
    }

    [Test]
    [Contract("A 6.5 GetRemoteVolumeAsync")]
    [Contract("A 6.5 GetRemoteVolumeFromFilesetIDAsync")]
    [Contract("A 13 Q19")]
    public async Task A_missing_volume_is_Empty_by_name_and_default_by_fileset()
    {
        Assert.That(await Db.GetRemoteVolumeAsync("nothing", default), Is.EqualTo(RemoteVolumeEntry.Empty));
        Assert.That(await Db.GetRemoteVolumeIDAsync("nothing", default), Is.EqualTo(-1));
        Assert.That(await Db.GetRemoteVolumeFromFilesetIDAsync(99, default), Is.EqualTo(default(RemoteVolumeEntry)));
    }

    [Test]
    [Contract("A 6.6 RegisterRemoteVolumeAsync")]
    public async Task A_name_can_be_registered_once_only()
    {
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);

        Assert.That(
            () => Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default),
            Refused.Engine(19)
        );
    }

    [TestCase("INSERT INTO Block (Hash, Size, VolumeID) VALUES ('h', 1, 40)")]
    [TestCase("INSERT INTO DeletedBlock (Hash, Size, VolumeID) VALUES ('h', 1, 40)")]
    [TestCase("INSERT INTO DuplicateBlock (BlockID, VolumeID) VALUES (1, 40)")]
    [TestCase("INSERT INTO IndexBlockLink (IndexVolumeID, BlockVolumeID) VALUES (1, 40)")]
    [TestCase("INSERT INTO IndexBlockLink (IndexVolumeID, BlockVolumeID) VALUES (40, 1)")]
    [TestCase("INSERT INTO Fileset (OperationID, VolumeID, IsFullBackup, Timestamp) VALUES (1, 40, 0, 1)")]
    public async Task A_new_volume_does_not_get_an_id_that_something_names(string names)
    {
        var first = await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        Execute(names);

        var second = await Db.RegisterRemoteVolumeAsync("b2", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        var third = await Db.RegisterRemoteVolumeAsync("b3", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);

        Assert.That((first, second, third), Is.EqualTo((1, 41, 42)));
    }

    [Test]
    public async Task What_another_connection_names_is_noticed()
    {
        var first = await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        await Db.Transaction.CommitAsync(default);
        Databases.Execute(DatabasePath, "INSERT INTO DeletedBlock (Hash, Size, VolumeID) VALUES ('h', 1, 40)");

        var second = await Db.RegisterRemoteVolumeAsync("b2", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);

        Assert.That((first, second), Is.EqualTo((1, 41)));
    }

    [Test]
    public async Task What_members_name_is_followed_after_the_volume_has_gone()
    {
        var index = await Db.RegisterRemoteVolumeAsync("i1", RemoteVolumeType.Index, RemoteVolumeState.Uploaded, default);
        var block = await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        await Db.AddIndexBlockLinkAsync(index, block, default);
        await Db.UnlinkRemoteVolumeAsync("b1", RemoteVolumeState.Uploaded, default);

        var next = await Db.RegisterRemoteVolumeAsync("b2", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);

        Assert.That(next, Is.EqualTo(block + 1));
    }

    [Test]
    public async Task An_id_that_a_rollback_took_back_or_a_refused_name_did_not_get_is_given()
    {
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        await Db.Transaction.CommitAsync(default);
        await Db.RegisterRemoteVolumeAsync("b2", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        await Db.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That(
            () => Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default),
            Throws.TypeOf<SqliteException>()
        );

        Assert.That(await Db.RegisterRemoteVolumeAsync("b2", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default), Is.EqualTo(2));
    }

    [Test]
    [Contract("A 4.4 Remotevolume.Size")]
    public async Task The_size_is_minus_one_until_it_is_known_and_a_null_size_reads_as_minus_one()
    {
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
        Assert.That((await Db.GetRemoteVolumeAsync("b1", default)).Size, Is.EqualTo(-1));

        Execute("UPDATE Remotevolume SET Size = NULL");
        Assert.That((await Db.GetRemoteVolumeAsync("b1", default)).Size, Is.EqualTo(-1));
    }

    [Test]
    [Contract("A 1.5 row 6")]
    [Contract("A 13 Q5")]
    public async Task A_positive_grace_time_is_stored_in_epoch_seconds_and_can_be_read_back()
    {
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Deleting, TimeSpan.FromHours(2), default);

        var grace = (await Db.GetRemoteVolumeAsync("b1", default)).DeleteGracePeriod;

        Assert.That(grace, Is.EqualTo(DateTime.UtcNow.AddHours(2)).Within(TimeSpan.FromMinutes(5)));
    }

    [Test]
    [Contract("A 6.6 PurgeDeletedVolumesAsync")]
    public async Task A_grace_time_in_ticks_from_an_old_version_is_read_as_ticks_and_purged()
    {
        var time = new DateTime(2020, 1, 2, 3, 4, 5, DateTimeKind.Utc);
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Deleted, default);
        Execute($"UPDATE Remotevolume SET DeleteGraceTime = {time.Ticks}");

        Assert.That((await Db.GetRemoteVolumeAsync("b1", default)).DeleteGracePeriod, Is.EqualTo(time));
        await Db.PurgeDeletedVolumesAsync(DateTime.UnixEpoch, default);
        Assert.That(Scalar("SELECT COUNT(*) FROM Remotevolume"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("A 6.6 UpdateRemoteVolumeAsync")]
    public async Task An_update_sets_state_size_hash_and_leaves_lock_and_verification_count_alone()
    {
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, default);
        Execute("UPDATE Remotevolume SET LockExpirationTime = 7, VerificationCount = 3, OperationID = 0");

        await Db.UpdateRemoteVolumeAsync("b1", RemoteVolumeState.Uploaded, 5, "hash", default);

        Assert.That(
            Scalar(
                "SELECT State || Size || Hash || LockExpirationTime || VerificationCount || DeleteGraceTime || ArchiveTime || (OperationID > 0) FROM Remotevolume"
            ),
            Is.EqualTo("Uploaded5hash73001")
        );
    }

    [Test]
    [Contract("A 1.5 row 7")]
    [Contract("A 6.6 UpdateRemoteVolumeAsync")]
    public async Task An_update_can_set_a_grace_time_and_set_and_clear_the_archive_time()
    {
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);

        await Db.UpdateRemoteVolumeAsync("b1", RemoteVolumeState.Deleted, 5, null, true, TimeSpan.FromHours(2), true, default);
        var volume = await Db.GetRemoteVolumeAsync("b1", default);
        Assert.That(volume.Hash, Is.Null);
        Assert.That(volume.DeleteGracePeriod, Is.EqualTo(DateTime.UtcNow.AddHours(2)).Within(TimeSpan.FromMinutes(5)));
        Assert.That(volume.ArchiveTime, Is.EqualTo(DateTime.UtcNow).Within(TimeSpan.FromMinutes(5)));

        await Db.UpdateRemoteVolumeAsync("b1", RemoteVolumeState.Deleted, 5, null, true, TimeSpan.Zero, false, default);
        volume = await Db.GetRemoteVolumeAsync("b1", default);
        Assert.That(volume.ArchiveTime, Is.EqualTo(DateTime.UnixEpoch));
        Assert.That(volume.DeleteGracePeriod, Is.GreaterThan(DateTime.UtcNow));
    }

    [Test]
    [Contract("A 6.6 UpdateRemoteVolumeAsync")]
    public async Task An_update_of_an_unknown_volume_throws()
    {
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);

        Assert.That(() => Db.UpdateRemoteVolumeAsync("b2", RemoteVolumeState.Verified, 1, null, default), Throws.TypeOf<Exception>());
    }

    [Test]
    public async Task Deleting_with_cleanup_removes_the_row_and_its_blocks()
    {
        var id = await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        Execute($"INSERT INTO Block (Hash, Size, VolumeID) VALUES ('h', 1, {id})");

        await Db.UpdateRemoteVolumeAsync("b1", RemoteVolumeState.Deleted, 1, null, default);

        Assert.That(Scalar("SELECT (SELECT COUNT(*) FROM Block) || (SELECT COUNT(*) FROM Remotevolume)"), Is.EqualTo("00"));
    }

    [Test]
    [Contract("A 6.6 UnlinkRemoteVolumeAsync")]
    public async Task Unlink_deletes_the_row_with_name_and_state_only()
    {
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);

        Assert.That(() => Db.UnlinkRemoteVolumeAsync("b1", RemoteVolumeState.Verified, default), Throws.TypeOf<Exception>());
        await Db.UnlinkRemoteVolumeAsync("b1", RemoteVolumeState.Uploaded, default);
        Assert.That(Scalar("SELECT COUNT(*) FROM Remotevolume"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("A 6.5 GetRemoteVolumeIDsAsync")]
    public async Task Ids_are_given_for_known_names_only()
    {
        var id = await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);

        var ids = await ListAsync(Db.GetRemoteVolumeIDsAsync(["x", "b1", "b1"], default));

        Assert.That(ids, Is.EqualTo(new[] { new KeyValuePair<string, long>("b1", id) }));
    }

    [Test]
    [Contract("A 1.7 parsing")]
    public async Task An_unknown_state_in_the_table_is_an_ArgumentException()
    {
        await Db.RegisterRemoteVolumeAsync("b1", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        Execute("UPDATE Remotevolume SET State = 'Odd'");

        Assert.That(() => Db.GetRemoteVolumeAsync("b1", default), Throws.ArgumentException);
    }

    [Test]
    [Contract("A 6.5 DuplicateRemoteVolumesAsync")]
    public async Task Duplicates_are_present_names_that_are_also_deleted()
    {
        Execute("DROP INDEX RemotevolumeNameOnly");
        await Db.RegisterRemoteVolumeAsync("twice", RemoteVolumeType.Blocks, RemoteVolumeState.Verified, default);
        await Db.RegisterRemoteVolumeAsync("twice", RemoteVolumeType.Blocks, RemoteVolumeState.Deleted, default);
        await Db.RegisterRemoteVolumeAsync("once", RemoteVolumeType.Blocks, RemoteVolumeState.Deleted, default);

        var duplicates = await ListAsync(Db.DuplicateRemoteVolumesAsync(default));

        Assert.That(duplicates, Is.EqualTo(new[] { new KeyValuePair<string, RemoteVolumeState>("twice", RemoteVolumeState.Verified) }));
    }

    [Test]
    [Contract("A 6.5 GetRemoteVolumeFromFilesetIDAsync")]
    [Contract("A 12 row 7")]
    public async Task The_volume_of_a_fileset_has_local_times()
    {
        var volume = await Db.RegisterRemoteVolumeAsync("l1", RemoteVolumeType.Files, RemoteVolumeState.Uploaded, default);
        var fileset = await Db.CreateFilesetAsync(volume, DateTime.UtcNow, default);

        var entry = await Db.GetRemoteVolumeFromFilesetIDAsync(fileset, default);

        Assert.That(entry.Name, Is.EqualTo("l1"));
        Assert.That(entry.ArchiveTime.Kind, Is.EqualTo(DateTimeKind.Local));
        Assert.That(entry.LockExpirationTime!.Value.ToUniversalTime(), Is.EqualTo(DateTime.UnixEpoch));
    }

    [Test]
    [Contract("A 6.6 RenameRemoteFileAsync")]
    public async Task Renaming_keeps_the_id_and_registers_the_old_name_for_deletion()
    {
        var id = await Db.RegisterRemoteVolumeAsync("old", RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, default);

        await Db.RenameRemoteFileAsync("old", "new", default);

        Assert.That(await Db.GetRemoteVolumeIDAsync("new", default), Is.EqualTo(id));
        var old = await Db.GetRemoteVolumeAsync("old", default);
        Assert.That((old.Type, old.State, old.Size), Is.EqualTo((RemoteVolumeType.Blocks, RemoteVolumeState.Deleting, -1)));
        var listed = await ListAsync(Db.GetRemoteVolumesAsync(default));
        Assert.That(listed.Select(x => x.Name), Is.EqualTo(new[] { "new", "old" }));
        Assert.That(listed.Select(x => x.ArchiveTime.Kind), Is.All.EqualTo(DateTimeKind.Utc), "as of one volume");
        Assert.That(Committed("SELECT COUNT(*) FROM Remotevolume"), Is.EqualTo("0"), "only a list volume commits");
        Assert.That(() => Db.RenameRemoteFileAsync("missing", "other", default), Throws.TypeOf<Exception>());
    }

    [Test]
    [Contract("A 6.6 RenameRemoteFileAsync")]
    public async Task Renaming_a_list_adds_an_empty_fileset_and_commits()
    {
        await Db.RegisterRemoteVolumeAsync("old", RemoteVolumeType.Files, RemoteVolumeState.Uploading, default);

        await Db.RenameRemoteFileAsync("old", "new", default);

        Assert.That(
            Committed("SELECT F.Timestamp || F.IsFullBackup || V.Name || V.State FROM Fileset F JOIN Remotevolume V ON V.ID = F.VolumeID"),
            Is.EqualTo("00oldDeleting")
        );
    }

    [TestCase(0, 1, "indexVolumeID")]
    [TestCase(1, -1, "blockVolumeID")]
    [Contract("A 6.6 AddIndexBlockLinkAsync")]
    public void A_link_needs_real_ids(long index, long block, string parameter) =>
        Assert.That(
            () => Db.AddIndexBlockLinkAsync(index, block, default),
            Throws.TypeOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo(parameter)
        );

    [Test]
    [Contract("A 6.6 PurgeDeletedVolumesAsync")]
    public async Task Purging_removes_deleted_volumes_whose_time_is_over_and_commits()
    {
        await Db.RegisterRemoteVolumeAsync("gone", RemoteVolumeType.Blocks, RemoteVolumeState.Deleted, default);
        await Db.RegisterRemoteVolumeAsync("grace", RemoteVolumeType.Blocks, RemoteVolumeState.Deleted, TimeSpan.FromHours(2), default);
        await Db.RegisterRemoteVolumeAsync("live", RemoteVolumeType.Blocks, RemoteVolumeState.Verified, default);

        await Db.PurgeDeletedVolumesAsync(DateTime.UtcNow, default);

        Assert.That(Committed("SELECT group_concat(Name) FROM (SELECT Name FROM Remotevolume ORDER BY Name)"), Is.EqualTo("grace,live"));
    }
}
