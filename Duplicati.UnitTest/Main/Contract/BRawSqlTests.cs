// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Recreate;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>
/// Plain statements on the connection of a recreate, as tests of core seed and read data: uncommitted, incomplete rows, and on a
/// connection that was asked for once and kept while members went on working.
/// </summary>
[TestFixture]
internal sealed class BRawSqlTests : RebuildTestBase
{
    private SqliteConnection m_kept = null!;

    /// <summary>Where the statements go: to a connection asked for now, or to one asked for before the members did anything.</summary>
    public enum Access
    {
        AskedForNow,
        Kept,
    }

    [SetUp]
    public void Keep() => m_kept = Db.Connection;

    [Test]
    [Contract("B 9.8 rule 1")]
    public async Task What_members_wrote_is_there_for_plain_statements_before_a_commit()
    {
        await FillAsync();
        var connection = Db.Connection;
        Assert.That(connection.Scalar("SELECT COUNT(*) FROM Block"), Is.EqualTo("2"));
        Assert.That(connection.Scalar("SELECT COUNT(*) FROM BlocklistHash"), Is.EqualTo("1"));
        Assert.That(connection.Scalar("SELECT COUNT(*) FROM FilesetEntry JOIN FileLookup ON FileLookup.ID = FileID"), Is.EqualTo("1"));
        Assert.That(connection.Scalar("SELECT COUNT(*) FROM Metadataset"), Is.EqualTo("1"));
    }

    [Test]
    [Contract("B 9.8 rule 1")]
    public async Task What_members_wrote_is_there_for_every_member_that_reads()
    {
        var blockset = await AddFileAsync(1, 128, [10, 11]);
        var metadata = await Db.AddMetadatasetAsync(Hash(2), 5, [], 0, default);
        await Db.AddFileEntryAsync(1, 1, "a", default, blockset, metadata, default);
        await Db.AddSmallBlocksetLinkAsync(Hash(2), Hash(2), 5, default);
        await Rebuild.UpdateBlockAsync(Hash(2), 5, 100);
        await Rebuild.UpdateBlockAsync(Hash(10), 64, 100);
        await Rebuild.UpdateBlockAsync(Hash(10), 64, 101);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);

        Assert.That(await Db.GetBlocksAsync(100, default).CountAsync(), Is.EqualTo(3));
        Assert.That(await Db.GetBlocksLargerThanAsync(63, default), Is.EqualTo(2));
        Assert.That(await Rebuild.ListsInAsync(100), Is.EqualTo(new[] { ListHash(1, 0) }));
        Assert.That(await Rebuild.PassAsync(0, BlockBytes, HashBytes, false), Is.EqualTo(new[] { "v100" }));
        await Rebuild.UpdateBlockAsync(Hash(11), 64, 101);
        await using var broken = await LocalListBrokenFilesDatabase.CreateAsync(Db, null, default);
        Assert.That(await broken.GetBrokenFilesetsAsync(new DateTime(0), null, default).CountAsync(), Is.EqualTo(1), "not resolved yet");
        await ResolveAsync();
        Assert.That(await broken.GetBrokenFilesetsAsync(new DateTime(0), null, default).CountAsync(), Is.Zero);
    }

    [Test]
    [Contract("B 9.8 rule 9")]
    public async Task Rows_added_by_plain_statements_are_known([Values] Access access, [Values] bool filledBefore)
    {
        if (filledBefore)
            await FillAsync();
        Execute(
            access,
            $"""
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (500, '{Hash(70)}', 64, 100);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (600, 5, '{Hash(71)}'), (601, 6, '{Hash(72)}');
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (700, 601);
            INSERT INTO FileLookup (ID, PrefixID, Path, BlocksetID, MetadataID) VALUES (800, 1, 'raw', 600, 700);
            INSERT INTO BlocklistHash VALUES (600, 0, '{Hash(70)}');
            """
        );

        Assert.That(await Rebuild.UpdateBlockAsync(Hash(70), 64, 100), Is.EqualTo((false, false)));
        Assert.That(await Rebuild.UpdateBlockAsync(Hash(70), 64, 101), Is.EqualTo((true, false)));
        Assert.That(await Db.AddBlocksetAsync(Hash(71), 5, Fails(), 0, default), Is.EqualTo(600));
        Assert.That(await Db.AddMetadatasetAsync(Hash(72), 6, [], 0, default), Is.EqualTo(700));
        await Db.AddFileEntryAsync(1, 1, "raw", default, 600, 700, default);
        Assert.That(Scalar(access, "SELECT FileID FROM FilesetEntry WHERE FileID = 800"), Is.EqualTo("800"));
        Assert.That(await Rebuild.ListsInAsync(100), Does.Contain(Hash(70)));
        await Db.CommitAsync(default);
    }

    [Test]
    [Contract("B 9.8 rule 9")]
    public async Task Rows_removed_by_plain_statements_are_added_again(
        [Values] Access access,
        [Values("WHERE 1", "WHERE ID > 0", "")] string condition
    )
    {
        await FillAsync();
        foreach (var table in (string[])["Block", "Blockset", "Metadataset", "FileLookup"])
            Execute(access, $"DELETE FROM {table} {condition}");
        Execute(access, "DELETE FROM FilesetEntry; DELETE FROM BlocklistHash");
        // A whole table emptied on a connection that was handed out earlier is not noticed by the engine's hook.
        if (access == Access.Kept && condition.Length == 0)
            _ = Db.Connection;

        await FillAsync();
        await Db.CommitAsync(default);
        Assert.That(Committed("SELECT COUNT(*) FROM Block"), Is.EqualTo(2));
        Assert.That(Committed("SELECT COUNT(*) FROM Blockset"), Is.EqualTo(2));
        Assert.That(
            Committed(
                "SELECT COUNT(*) FROM FilesetEntry JOIN FileLookup ON FileLookup.ID = FileID JOIN Metadataset ON Metadataset.ID = MetadataID"
            ),
            Is.EqualTo(1)
        );
    }

    [Test]
    [Contract("B 9.8 rule 4")]
    public async Task Ids_go_on_above_the_highest_one_in_the_tables([Values] Access access)
    {
        Execute(
            access,
            $"""
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (5000, '{Hash(70)}', 64, 100);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (6000, 5, '{Hash(71)}');
            """
        );
        var blockset = await Db.AddBlocksetAsync(Hash(80), 7, [], 0, default);
        await Rebuild.UpdateBlockAsync(Hash(81), 9, 100);
        Assert.That(blockset, Is.GreaterThan(6000));
        Assert.That(Scalar(access, "SELECT ID FROM Block WHERE Size = 9"), Is.EqualTo("5001"));
    }

    private async Task FillAsync()
    {
        var blockset = await Db.AddBlocksetAsync(Hash(1), 128, [ListHash(1, 0)], 1, default);
        var metadata = await Db.AddMetadatasetAsync(Hash(2), 5, [], 0, default);
        await Db.AddFileEntryAsync(1, 1, "a", default, blockset, metadata, default);
        await Rebuild.UpdateBlockAsync(Hash(10), 64, 100);
        await Rebuild.UpdateBlockAsync(Hash(11), 64, 101);
    }

    private SqliteConnection Connection(Access access) => access == Access.Kept ? m_kept : Db.Connection;

    private void Execute(Access access, string sql) => Connection(access).Execute(sql);

    private string? Scalar(Access access, string sql)
    {
        // The provider's own commands on a kept connection see what waits after the next barrier, which any reading member is.
        return Connection(access).Scalar(sql);
    }

    private static IEnumerable<string> Fails()
    {
        Assert.Fail("A known blockset does not need its blocklists.");
        yield break;
    }
}
