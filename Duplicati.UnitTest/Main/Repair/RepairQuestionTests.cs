// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Repair;

public sealed class RepairQuestionTests : RepairTestBase
{
    [Test]
    [Contract("B 5.2 GetFilesetFromRemotenameAsync")]
    public async Task A_fileset_is_found_by_its_list_volume()
    {
        var volume = Data.Volume("list", "Files");
        Data.EmptyFileset(1_000_000, volume, isFull: false);
        Data.EmptyFileset(2_000_000, Data.Volume("other", "Files"));

        var (id, time, isFull) = await Db.GetFilesetFromRemotenameAsync("list", None);

        Assert.That((id, isFull), Is.EqualTo((1L, false)));
        Assert.That(time, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(1_000_000).ToLocalTime()));
        Assert.That(time.Kind, Is.EqualTo(DateTimeKind.Local));
    }

    [Test]
    [Contract("B 5.2 GetFilesetFromRemotenameAsync")]
    public void A_volume_without_fileset_is_an_error()
    {
        Data.Volume("list", "Files");

        Assert.That(async () => await Db.GetFilesetFromRemotenameAsync("list", None), Throws.TypeOf<Exception>());
        Assert.That(async () => await Db.GetFilesetFromRemotenameAsync("unknown", None), Throws.TypeOf<Exception>());
    }

    [Test]
    [Contract("B 5.2 MoveFilesFromFilesetAsync")]
    public async Task Entries_move_from_the_second_fileset_to_the_first()
    {
        Data.Fileset(1000, 5, 6);
        Data.EmptyFileset(2000, 99);

        await Db.MoveFilesFromFilesetAsync(2, 1, None);

        Assert.That(Rows("SELECT FilesetID, FileID FROM FilesetEntry ORDER BY 1, 2"), Is.EqualTo(new[] { "2|5", "2|6" }));
        Assert.That(Committed("SELECT FilesetID FROM FilesetEntry"), Is.EqualTo(new[] { "1", "1" }), "not committed");
    }

    [Test]
    [Contract("B 5.2 MoveFilesFromFilesetAsync")]
    public void Entries_do_not_move_without_two_ids()
    {
        Assert.That(async () => await Db.MoveFilesFromFilesetAsync(0, 1, None), Throws.ArgumentException);
        Assert.That(async () => await Db.MoveFilesFromFilesetAsync(1, -1, None), Throws.ArgumentException);
    }

    [Test]
    [Contract("B 5.2 GetIndexFilesReferencingBlockFileAsync")]
    public async Task Index_volumes_of_a_block_volume_are_its_links_of_type_index()
    {
        var blocks = Data.Volume("blocks");
        var index = Data.Volume("index", "Index");
        var other = Data.Volume("other", "Index");
        Data.Link(index, blocks);
        Data.Link(index, blocks);
        Data.Link(other, 77);
        Data.Link(blocks, blocks);

        Assert.That(await Db.GetIndexFilesReferencingBlockFileAsync(blocks, None).ToListAsync(), Is.EqualTo(new[] { "index" }));
    }

    [Test]
    [Contract("B 5.2 GetBlockVolumesFromIndexNameAsync")]
    public async Task Block_volumes_of_an_index_volume_have_no_nulls_and_can_be_read_while_rows_change()
    {
        var index = Data.Volume("index", "Index");
        Data.Link(index, Data.Volume("one", size: null, hash: null));
        Data.Link(index, Data.Volume("two", size: 7, hash: "h"));
        Data.Volume("three");

        var names = new List<string>();
        await foreach (var volume in Db.GetBlockVolumesFromIndexNameAsync("index", None))
        {
            names.Add($"{volume.Name}|{volume.Hash}|{volume.Size}");
            await Db.AddIndexBlockLinkAsync(index, 3, None);
            await Db.Transaction.CommitAsync();
        }

        Assert.That(names, Is.EqualTo(new[] { "one||-1", "two|h|7" }));
        Assert.That(await Db.GetBlockVolumesFromIndexNameAsync("unknown", None).ToListAsync(), Is.Empty);
    }

    [Test]
    [Contract("B 5.2 GetFilesetsWithMissingFilesAsync")]
    [Contract("B 5.2 DeleteFilesetEntriesAsync")]
    public async Task Filesets_with_missing_files_are_found_and_emptied()
    {
        var file = Data.File("/a", 1, 1);
        Data.Fileset(1000, file);
        Data.Fileset(2000, file, 777);

        var broken = await Db.GetFilesetsWithMissingFilesAsync(None).ToListAsync();

        Assert.That(broken, Is.EqualTo(new[] { KeyValuePair.Create(2L, DateTime.UnixEpoch.AddSeconds(2000).ToLocalTime()) }));
        Assert.That(await Db.DeleteFilesetEntriesAsync(2, None), Is.EqualTo(2));
        Assert.That(Rows("SELECT FilesetID FROM FilesetEntry"), Is.EqualTo(new[] { "1" }));
        Assert.That(await Db.GetFilesetsWithMissingFilesAsync(None).ToListAsync(), Is.Empty);
    }

    [TestCase("Files", "Uploaded", true)]
    [TestCase("Files", "Temporary", true)]
    [TestCase("Files", "Deleting", false)]
    [TestCase("Files", "Deleted", false)]
    [TestCase("Blocks", "Uploaded", false)]
    [Contract("B 5.2 MissingLocalFilesetsAsync")]
    [Contract("B 5.2 MissingRemoteFilesetsAsync")]
    public async Task Lists_without_a_fileset_and_filesets_without_a_list(string type, string state, bool isList)
    {
        Data.Volume("lone", type, state);
        Data.EmptyFileset(1000, Data.Volume("linked", type, state), isFull: false);

        Assert.That(await Db.MissingLocalFilesetsAsync(None).ToListAsync(), Is.EqualTo(isList ? ["lone"] : Array.Empty<string>()));
        Assert.That(
            await Db.MissingRemoteFilesetsAsync(None).ToListAsync(),
            Is.EqualTo(isList ? [] : new[] { (1L, DateTime.UnixEpoch.AddSeconds(1000), false) })
        );
    }

    [Test]
    [Contract("B 5.2 MissingRemoteFilesetsAsync")]
    public async Task The_time_of_a_fileset_without_a_list_is_in_utc()
    {
        Data.EmptyFileset(1000, 99);

        Assert.That((await Db.MissingRemoteFilesetsAsync(None).SingleAsync()).Timestamp.Kind, Is.EqualTo(DateTimeKind.Utc));
    }

    [TestCase("Index", "Uploaded", true)]
    [TestCase("Index", "Verified", true)]
    [TestCase("Index", "Uploading", false)]
    [TestCase("Index", "Deleted", false)]
    [TestCase("Blocks", "Verified", false)]
    [Contract("B 5.2 EmptyIndexFilesAsync")]
    public async Task Empty_index_files_are_uploaded_ones_without_a_link(string type, string state, bool expected)
    {
        Data.Volume("empty", type, state, 5, null);
        Data.Link(Data.Volume("used", type, state), 99);

        var found = await Db.EmptyIndexFilesAsync(None).ToListAsync();

        Assert.That(found.Select(x => $"{x.Name}|{x.Hash}|{x.Size}"), Is.EqualTo(expected ? ["empty||5"] : Array.Empty<string>()));
    }
}

/// <summary>A database that a test fills, and the repair object that opens it when first used.</summary>
public abstract class RepairTestBase : SampleTestBase
{
    private protected static readonly CancellationToken None = CancellationToken.None;

    private LocalRepairDatabase? m_db;

    /// <summary>Opens what has been filled so far.</summary>
    private protected LocalRepairDatabase Db =>
        m_db ??= LocalRepairDatabase.CreateRepairDatabaseAsync(Data.Close(), null, None).GetAwaiter().GetResult();

    [TearDown]
    public void Remove()
    {
        m_db?.Dispose();
        m_db = null;
    }

    /// <summary>Rows that a second connection sees: committed ones.</summary>
    private protected string[] Committed(string sql) => Data.Rows(sql);

    /// <summary>Rows that the open transaction sees, columns joined by a bar.</summary>
    private protected List<string> Rows(string sql) => [.. Db.Connection.Lines(sql)];

    private protected void Execute(string sql) => Db.Connection.Execute(sql);
}
