// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Blocks;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Backup;

[TestFixture]
[NonParallelizable]
public class BackupFileTests : BackupTestBase
{
    private static readonly DateTime s_noTime = new(0, DateTimeKind.Utc);

    [Test]
    [Contract("A 7.3 AddFileAsync")]
    public async Task A_new_file_is_committed_but_its_entry_is_not()
    {
        var id = await Backup.AddFileAsync("/a/b", 1);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "FileLookup" """), Is.EqualTo(1));
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "FilesetEntry" """), Is.Zero);
        Assert.That(Backup.Entries(Backup.FilesetId), Is.EqualTo([$"/a/b {id} 10"]));
    }

    [Test]
    [Contract("A 1.6 special ids")]
    [Contract("A 7.3 AddDirectoryEntryAsync")]
    public async Task Folders_and_links_have_their_own_blockset_ids()
    {
        var metadata = await Backup.AddMetadataAsync(5);
        await Db.AddDirectoryEntryAsync("/a/b/", metadata, new DateTime(3, DateTimeKind.Utc), default);
        await Db.AddSymlinkEntryAsync("/a/c", metadata, new DateTime(4, DateTimeKind.Utc), default);
        Assert.That(
            Db.Connection.Lines(
                """
                SELECT "Prefix", "Path", "BlocksetID", "Lastmodified" FROM "FileLookup" JOIN "PathPrefix" ON "PathPrefix"."ID" = "PrefixID" JOIN "FilesetEntry" ON "FileID" = "FileLookup"."ID" ORDER BY 2
                """
            ),
            Is.EqualTo(["/a/|b/|-100|3", "/a/|c|-200|4"])
        );
    }

    [Test]
    [Contract("A 1.5 row 4")]
    public async Task Local_times_are_stored_as_utc_ticks()
    {
        var time = new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Local).AddTicks(1234567);
        await Db.AddKnownFileAsync(5, time, default);
        Assert.That(Backup.Number("""SELECT "Lastmodified" FROM "FilesetEntry" """), Is.EqualTo(time.ToUniversalTime().Ticks));
    }

    [Test]
    [Contract("A 7.3 AddKnownFileAsync")]
    public async Task A_file_that_is_in_the_fileset_already_fails_when_it_is_added([Values(0, 1, 100)] int between, [Values] bool commit)
    {
        await Db.AddKnownFileAsync(5, s_noTime, default);
        for (var i = 0; i < between; i++)
            await Db.AddKnownFileAsync(100 + i, s_noTime, default);
        if (commit)
            await Db.CommitAsync(default);

        Assert.That(() => Db.AddKnownFileAsync(5, s_noTime, default), Refused.Engine(19));

        await Db.AddKnownFileAsync(6, s_noTime, default);
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "FilesetEntry" """), Is.EqualTo(between + 2));
    }

    [Test]
    public async Task A_duplicate_fails_also_in_a_fileset_of_an_earlier_instance_or_after_a_rollback()
    {
        await Db.AddKnownFileAsync(5, s_noTime, default);
        await Db.CommitAsync(default);
        await Db.AddKnownFileAsync(6, s_noTime, default);
        await Db.Transaction.RollBackAsync(default(CancellationToken));
        await Db.AddKnownFileAsync(6, s_noTime, default);
        Assert.That(() => Db.AddKnownFileAsync(5, s_noTime, default), Throws.TypeOf<SqliteException>());
        Assert.That(() => Db.AddKnownFileAsync(6, s_noTime, default), Throws.TypeOf<SqliteException>());
    }

    [Test]
    public async Task A_file_that_has_left_the_fileset_can_be_added_again()
    {
        await Db.AddKnownFileAsync(5, s_noTime, default);
        await Db.ClearFilesetEntriesAsync(Backup.FilesetId, default);
        await Db.AddKnownFileAsync(5, s_noTime, default);
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "FilesetEntry" """), Is.EqualTo(1));
    }

    [Test]
    public async Task Many_files_in_any_order_are_all_there()
    {
        var ids = Enumerable.Range(1, 40_000).Select(i => (long)i).ToArray();
        new Random(1).Shuffle(ids);
        foreach (var id in ids)
            await Db.AddKnownFileAsync(id, new DateTime(id * 2, DateTimeKind.Utc), default);
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "FilesetEntry" WHERE "Lastmodified" = "FileID" * 2"""), Is.EqualTo(40_000));
    }

    [TestCase(null, false)]
    [TestCase("0", false)]
    [TestCase("2", true)]
    [TestCase("3", true)]
    [TestCase("4", true)]
    [TestCase("9", true)]
    [Contract("A 7.4 GetFileEntryAsync")]
    public async Task The_state_of_a_file_in_an_earlier_fileset_is_found(string? version, bool warns)
    {
        var earlier = Backup.FilesetId;
        var id = await Backup.AddFileAsync("/a/b", 1, 7, 10);
        await Db.CommitAsync(default);
        using var variable = new EnvironmentVariable("TEST_QUERY_VERSION", version);
        using var log = new LogCapture();
        await Backup.ReopenAsync();
        Assert.That(log.Of(LogMessageType.Warning, "TestFileQuery"), Has.Count.EqualTo(warns ? 1 : 0));

        await Backup.AddFilesetAsync(DateTime.UtcNow);
        await Backup.AddFileAsync("/a/b", 2, 8, 20);
        var prefix = await Db.GetOrCreatePathPrefixAsync("/a/", default);
        Assert.That(
            await Db.GetFileEntryAsync(prefix, "b", earlier, default),
            Is.EqualTo((id, new DateTime(10, DateTimeKind.Utc), 1024L, BlockFixture.Hash(7), 100L))
        );
        Assert.That(await Db.GetFileEntryAsync(prefix, "c", earlier, default), Is.EqualTo((-1L, s_noTime, -1L, (string?)null, -1L)));
        Assert.That(await Db.GetFileEntryAsync(prefix, "b", -1, default), Is.EqualTo((-1L, s_noTime, -1L, (string?)null, -1L)));
    }

    [Test]
    [Contract("A 1.9 TEST_QUERY_VERSION")]
    public async Task Query_version_1_looks_into_the_newest_fileset_with_the_path()
    {
        using var variable = new EnvironmentVariable("TEST_QUERY_VERSION", "1");
        await Backup.AddFileAsync("/a/b", 1, 7, 10);
        await Db.CommitAsync(default);
        await Backup.ReopenAsync();
        await Backup.AddFilesetAsync(DateTime.UtcNow);
        var newer = await Backup.AddFileAsync("/a/b", 2, 8, 20);
        var prefix = await Db.GetOrCreatePathPrefixAsync("/a/", default);
        Assert.That((await Db.GetFileEntryAsync(prefix, "b", Backup.FilesetId, default)).Item1, Is.EqualTo(newer));
    }

    [Test]
    [Contract("A 7.4 GetFileEntryAsync versions")]
    public async Task Only_query_version_3_finds_folders()
    {
        await Db.AddDirectoryEntryAsync("/a/b/", await Backup.AddMetadataAsync(7), s_noTime, default);
        await Db.CommitAsync(default);
        var prefix = await Db.GetOrCreatePathPrefixAsync("/a/", default);
        Assert.That((await Db.GetFileEntryAsync(prefix, "b/", Backup.FilesetId, default)).Item1, Is.EqualTo(-1));

        using var variable = new EnvironmentVariable("TEST_QUERY_VERSION", "3");
        await Backup.ReopenAsync();
        Assert.That(
            await Db.GetFileEntryAsync(prefix, "b/", Backup.FilesetId, default),
            Is.EqualTo((1L, s_noTime, -1L, BlockFixture.Hash(7), 100L))
        );
    }

    [Test]
    [Contract("A 7.4 GetFileLastModifiedAsync")]
    public async Task Times_and_lengths_of_files_and_times_of_folders_are_found()
    {
        var id = await Backup.AddFileAsync("/a/b", 1, ticks: 10);
        await Db.AddDirectoryEntryAsync("/a/c/", 1, new DateTime(11, DateTimeKind.Utc), default);
        var prefix = await Db.GetOrCreatePathPrefixAsync("/a/", default);
        Assert.That(
            await Db.GetFileLastModifiedAsync(prefix, "b", Backup.FilesetId, true, default),
            Is.EqualTo((id, new DateTime(10, DateTimeKind.Utc), 1024L))
        );
        Assert.That(
            await Db.GetFileLastModifiedAsync(prefix, "b", Backup.FilesetId, false, default),
            Is.EqualTo((id, new DateTime(10, DateTimeKind.Utc), -1L))
        );
        Assert.That(await Db.GetFileLastModifiedAsync(prefix, "c/", Backup.FilesetId, true, default), Is.EqualTo((-1L, s_noTime, -1L)));
        Assert.That((await Db.GetFileLastModifiedAsync(prefix, "c/", Backup.FilesetId, false, default)).Item1, Is.EqualTo(id + 1));
    }

    [Test]
    [Contract("A 7.4 GetMetadataHashAndSizeForFileAsync")]
    [Contract("A 7.4 GetFileHashAsync")]
    public async Task Hashes_of_content_and_metadata_are_found_by_file()
    {
        var id = await Backup.AddFileAsync("/a/b", 1, 7);
        Assert.That(await Db.GetFileHashAsync(id, default), Is.EqualTo("1"));
        Assert.That(await Db.GetMetadataHashAndSizeForFileAsync(id, default), Is.EqualTo((BlockFixture.Hash(7), 100L)));
        Assert.That(await Db.GetFileHashAsync(99, default), Is.Null);
        Assert.That(await Db.GetMetadataHashAndSizeForFileAsync(99, default), Is.Null);
    }

    [Test]
    [Contract("A 7.6 GetFirstPathAsync")]
    public async Task The_longest_path_is_found()
    {
        Assert.That(await Db.GetFirstPathAsync(default), Is.Null);
        await Backup.AddFileAsync("/a/b", 1);
        await Backup.AddFileAsync("/a/long", 1);
        await Backup.AddFileAsync("/abcd/ef", 1);
        Assert.That(await Db.GetFirstPathAsync(default), Is.EqualTo("/abcd/ef"));
    }

    [Test]
    [Contract("A 7.1 disposal")]
    [Contract("A 13 Q7")]
    public async Task Disposing_rolls_back_and_frees_the_file()
    {
        await Backup.AddFileAsync("/a/b", 1);
        await Backup.ReopenAsync();
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "FilesetEntry" """), Is.Zero);
        await Db.DisposeAsync();
        await Db.DisposeAsync();
        Assert.That(File.Exists(Backup.Path + "-wal"), Is.False);
        Db.Dispose();
    }

    [Test]
    [Contract("A 1.9 profile-all-database-queries")]
    public async Task Hot_members_are_timed_only_with_the_option()
    {
        await Backup.ReopenAsync(new Dictionary<string, string?> { ["profile-all-database-queries"] = "true" });
        using var log = new LogCapture();
        await Db.FindBlockIDAsync(BlockFixture.Hash(1), 1, default);
        Assert.That(log.WithId("FindBlockID"), Has.Count.EqualTo(2));
        Assert.That(log.WithId("FindBlockID")[0].Tag, Does.EndWith(nameof(LocalBackupDatabase)));
    }
}
