// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>Content that takes the place of lost metadata: found where it can be read, added with a block, and taken back.</summary>
[TestFixture]
[Contract("D 4.3 FindExactMetadataBlocksetIdAsync")]
internal sealed class ReplacementMetadataTests : SampleTestBase
{
    private long m_good;
    private long m_given;

    [SetUp]
    public void SetUp()
    {
        m_good = Data.Volume("good");
        m_given = Data.Volume("given");
    }

    [Test]
    public async Task Only_content_that_can_be_read_is_found()
    {
        Metadata("no block", 5, 4711);
        Metadata("two blocks and one is lost", 10, Block("two a", m_good), Block("two b", m_given));
        Metadata("another length", 6, Block("six", m_good));
        Metadata("in a volume that is given", 5, Block("given", m_given));
        foreach (var state in (string[])["Deleted", "Deleting", "Temporary"])
            Metadata($"in a volume in state {state}", 5, Block(state, Data.Volume(state, state: state)));
        Metadata("in a list", 5, Block("list", Data.Volume("list", "Files")));
        Metadata("empty", 0);
        foreach (
            var (name, list) in new[]
            {
                ("list of blocks given", m_given),
                ("list of blocks temporary", Data.Volume("t", state: "Temporary")),
            }
        )
        {
            Data.Block(name, 40, list);
            Data.Blocklist(Metadata(name, 10, Block(name + " a", m_good), Block(name + " b", m_good)), 0, name);
        }

        Metadata("long", 15, Block("long a", m_good), Block("long b", m_good), Block("long c", m_good));
        var usable = Metadata("usable", 10, Block("usable a", m_good), Block("usable b", m_good));
        Data.Close();

        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Path, null, default);
        string[] names =
        [
            "no block",
            "two blocks and one is lost",
            "another length",
            "in a volume that is given",
            "in a volume in state Deleted",
            "in a volume in state Deleting",
            "in a volume in state Temporary",
            "in a list",
            "empty",
            "list of blocks given",
            "list of blocks temporary",
        ];
        foreach (var name in names)
        foreach (var size in (long[])[0, 5, 6, 10])
            Assert.That(
                await db.FindExactMetadataBlocksetIdAsync([m_given], SampleDatabase.Hash(name), size, default),
                Is.EqualTo(-1),
                $"{name}, {size}"
            );
        Assert.That(await db.FindExactMetadataBlocksetIdAsync([m_given], SampleDatabase.Hash("usable"), 10, default), Is.EqualTo(usable));
        Assert.That(await db.FindExactMetadataBlocksetIdAsync([m_given], SampleDatabase.Hash("usable"), 9, default), Is.EqualTo(-1));
        Assert.That(await db.FindSmallestUsableMetadataBlocksetIdAsync([m_given], default), Is.EqualTo(usable));
        Assert.That(await db.FindSmallestUsableMetadataBlocksetIdAsync([m_given, m_good], default), Is.EqualTo(-1));
    }

    [Test]
    public async Task A_block_is_available_where_its_volume_can_be_used()
    {
        var block = Block("block", m_good);
        Block("gone", Data.Volume("gone", state: "Deleting"));
        Data.Close();

        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Path, null, default);
        Assert.That(await db.FindAvailableBlockIdAsync(SampleDatabase.Hash("block"), 5, [m_given], default), Is.EqualTo(block));
        Assert.That(await db.FindAvailableBlockIdAsync(SampleDatabase.Hash("block"), 5, [m_good], default), Is.EqualTo(-1));
        Assert.That(await db.FindAvailableBlockIdAsync(SampleDatabase.Hash("block"), 6, [], default), Is.EqualTo(-1));
        Assert.That(await db.FindAvailableBlockIdAsync(SampleDatabase.Hash("gone"), 5, [], default), Is.EqualTo(-1));
    }

    [Test]
    public async Task A_registration_is_taken_back_to_what_was_there([Values] bool isKnown)
    {
        var known = isKnown ? Block("block", m_given) : -1;
        Data.Close();
        const string Blocks = """SELECT "ID", "Hash", "Size", "VolumeID" FROM "Block" ORDER BY "ID" """;

        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Path, null, default);
        var before = db.Connection.Scalar($"SELECT group_concat(ID || Hash || Size || VolumeID) FROM ({Blocks})");
        var registration = await db.RegisterBlockAsync(SampleDatabase.Hash("block"), 5, m_good, default);
        Assert.That(
            (registration.Created, registration.PreviousVolumeId, registration.VolumeId, registration.Size),
            Is.EqualTo((!isKnown, isKnown ? m_given : (long?)null, m_good, 5L))
        );
        if (isKnown)
            Assert.That(registration.BlockId, Is.EqualTo(known));
        Assert.That(await db.FindAvailableBlockIdAsync(SampleDatabase.Hash("block"), 5, [], default), Is.EqualTo(registration.BlockId));
        await db.Transaction.CommitAsync();

        await db.RollbackBlockRegistrationAsync(registration, default);
        Assert.That(db.Connection.Scalar($"SELECT group_concat(ID || Hash || Size || VolumeID) FROM ({Blocks})"), Is.EqualTo(before));
        Assert.That(() => db.RollbackBlockRegistrationAsync(registration, default), Throws.InvalidOperationException, "taken back already");
    }

    [Test]
    public async Task Metadata_are_made_of_exactly_one_block_once()
    {
        var (first, second) = (Block("first", m_good), Block("second", m_good));
        Data.Close();

        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Path, null, default);
        var hash = SampleDatabase.Hash("metadata");
        foreach (var (size, blocks) in ((long, long[])[])[(5, []), (10, [first, second]), (6, [first]), (5, [4711]), (0, [first])])
            Assert.That(() => db.CreateMetadataBlocksetAsync(hash, size, blocks, default), Throws.ArgumentException);
        Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM "Blockset" """), Is.EqualTo("0"));

        var blockset = await db.CreateMetadataBlocksetAsync(hash, 5, [first], default);
        Assert.That(await db.FindExactMetadataBlocksetIdAsync([], hash, 5, default), Is.EqualTo(blockset));
        Assert.That(await db.FindSmallestUsableMetadataBlocksetIdAsync([], default), Is.EqualTo(-1), "no metadata are made of it yet");
        var metadata = await db.GetOrCreateMetadatasetIdAsync(blockset, default);
        Assert.That(await db.GetOrCreateMetadatasetIdAsync(blockset, default), Is.EqualTo(metadata));
        Assert.That(await db.FindSmallestUsableMetadataBlocksetIdAsync([], default), Is.EqualTo(blockset));
    }

    [Test]
    public async Task Content_whose_blocks_were_lost_is_made_of_the_new_block_again()
    {
        Block("metadata", m_given);
        var lost = Metadata("metadata", 5, Block("metadata lost", m_given));
        Data.Blocklist(lost, 0, "list");
        var file = Data.File("/a/", SampleDatabase.Folder, 1);
        var fileset = Data.Fileset(1000, file);
        Data.Close();

        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Path, null, default);
        var given = db.Connection.Scalar($"""SELECT "Name" FROM "Remotevolume" WHERE "ID" = {m_given}""")!;
        await db.RemoveMissingBlocksAsync([given], default);
        Assert.That(await db.GetFilesetsWithReplaceableMetadataAsync(default), Is.EqualTo(new[] { fileset }));
        var hash = SampleDatabase.Hash("metadata");
        Assert.That(await db.FindExactMetadataBlocksetIdAsync([m_given], hash, 5, default), Is.EqualTo(-1));
        var registration = await db.RegisterBlockAsync(hash, 5, m_good, default);

        Assert.That(await db.CreateMetadataBlocksetAsync(hash, 5, [registration.BlockId], default), Is.EqualTo(lost));
        Assert.That(await db.FindExactMetadataBlocksetIdAsync([m_given], hash, 5, default), Is.EqualTo(lost));
        Assert.That(await db.GetFilesetsWithReplaceableMetadataAsync(default), Is.Empty);
    }

    [Test]
    public async Task A_new_block_does_not_take_the_place_of_a_lost_one()
    {
        Metadata("whole", 5, Block("whole", m_good));
        var file = Data.File("/a/", Data.Blockset("content", 5, Block("lost", m_given)), 1);
        Data.Fileset(1000, file);
        Data.Close();

        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Path, null, default);
        var given = db.Connection.Scalar($"""SELECT "Name" FROM "Remotevolume" WHERE "ID" = {m_given}""")!;
        await db.RemoveMissingBlocksAsync([given], default);
        await db.RegisterBlockAsync(SampleDatabase.Hash("new"), 5, m_good, default);

        const string Named = """SELECT COUNT(*) FROM "BlocksetEntry" "e" JOIN "Block" "b" ON "b"."ID" = "e"."BlockID" """;
        Assert.That(db.Connection.Scalar(Named), Is.EqualTo("1"), "contents that name the lost block are not whole");
    }

    private long Block(string seed, long volume) => Data.Block(seed, 5, volume);

    private long Metadata(string seed, long length, params long[] blocks)
    {
        var id = Data.Blockset(seed, length, blocks);
        Data.Metadata(id);
        return id;
    }
}
