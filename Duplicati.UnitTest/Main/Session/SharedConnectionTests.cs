// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// Several objects that add blocks on one connection, and what others do to the file or its tables between the steps of a recreate.
/// </summary>
[TestFixture]
internal sealed class SharedConnectionTests : FolderTestBase
{
    private const int HashBytes = 32;
    private const int BlockBytes = 1024;

    private LocalBackupDatabase m_owner = null!;
    private LocalRecreateDatabase m_recreate = null!;

    private string DatabasePath => Folder.File("local.sqlite");

    [SetUp]
    public async Task SetUp()
    {
        m_owner = await LocalBackupDatabase.CreateAsync(DatabasePath, new Options([]), default);
        await m_owner.RegisterRemoteVolumeAsync("one", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        await m_owner.AddBlockAsync(BlockFixture.Hash(-1), BlockBytes, 1, default);
        await m_owner.CommitAsync(default);
        m_recreate = await MakeRecreateAsync();
    }

    [TearDown]
    public async Task TearDown()
    {
        await m_recreate.DisposeAsync();
        await m_owner.DisposeAsync();
    }

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(7)]
    [Contract("A 1.1 child")]
    [Contract("B 9.8 rule 4")]
    public async Task Blocks_that_a_backup_and_two_recreates_add_in_turn_are_each_there_once(int shift)
    {
        await using var second = await MakeRecreateAsync();
        for (var i = 0; i < 90; i++)
        {
            // Each block is offered three times in a row, first by a different object each time; every tenth hash is no Base64.
            var block = i / 3;
            var hash = block % 10 == 0 ? $"odd {block}" : BlockFixture.Hash(block);
            var isNew = ((i + (block * shift)) % 3) switch
            {
                0 => await m_owner.AddBlockAsync(hash, BlockBytes, 1, default),
                1 => (await m_recreate.UpdateBlockAsync(hash, BlockBytes, 1, default)).Item1,
                _ => (await second.UpdateBlockAsync(hash, BlockBytes, 1, default)).Item1,
            };
            Assert.That(isNew, Is.EqualTo(i % 3 == 0), $"offer {i}");
        }

        await m_owner.CommitAsync(default);
        Assert.That(Committed("""SELECT COUNT(*) || ' ' || COUNT(DISTINCT "Hash") FROM "Block" """), Is.EqualTo("31 31"));
    }

    [Test]
    [Contract("B 9.8 rule 9")]
    public async Task What_another_connection_commits_between_two_transactions_is_known_to_a_recreate()
    {
        await m_recreate.UpdateBlockAsync(BlockFixture.Hash(1), BlockBytes, 1, default);
        var known = await m_recreate.AddBlocksetAsync("known", 5, [], 0, default);
        await m_recreate.CommitAsync(default);
        Other(
            $"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{BlockFixture.Hash(2)}', 1024, 1); INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (77, 5, 'theirs')"""
        );

        Assert.That(await m_recreate.UpdateBlockAsync(BlockFixture.Hash(2), BlockBytes, 1, default), Is.EqualTo((false, false)));
        Assert.That(await m_recreate.UpdateBlockAsync(BlockFixture.Hash(3), BlockBytes, 1, default), Is.EqualTo((true, true)));
        Assert.That(await m_recreate.AddBlocksetAsync("theirs", 5, [], 0, default), Is.EqualTo(77));
        Assert.That(await m_recreate.AddBlocksetAsync("known", 5, [], 0, default), Is.EqualTo(known));
        await m_recreate.CommitAsync(default);
        Assert.That(Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo("4"));
    }

    [Test]
    [Contract("B 3.4 FindMissingBlocklistHashesAsync")]
    public async Task A_resolve_goes_on_after_another_connection_has_committed_while_this_one_read()
    {
        var blockset = await AddSmallFileAsync();
        await m_recreate.CommitAsync(default);
        Assert.That(await m_recreate.GetRemoteVolumeIDAsync("one", default), Is.EqualTo(1), "it has begun to read");
        Other("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('theirs', '1')""");

        await ResolveAsync();

        Assert.That(Committed($"""SELECT COUNT(*) FROM "BlocksetEntry" WHERE "BlocksetID" = {blockset}"""), Is.EqualTo("1"));
        Assert.That(Committed("""SELECT COUNT(*) FROM "Configuration" """), Is.EqualTo("1"));
    }

    [Test]
    [Contract("B 3.4 FindMissingBlocklistHashesAsync")]
    public async Task What_a_statement_takes_away_between_two_resolves_is_added_again()
    {
        var blockset = await AddSmallFileAsync();
        await ResolveAsync();
        m_recreate.Connection.Execute(
            $"""DELETE FROM "BlocksetEntry" WHERE "BlocksetID" = {blockset}; DELETE FROM "Block" WHERE "Hash" = '{BlockFixture.Hash(5)}'"""
        );

        await ResolveAsync();

        Assert.That(
            Committed(
                $"""SELECT "VolumeID" FROM "BlocksetEntry" AS E JOIN "Block" AS B ON B."ID" = E."BlockID" WHERE "BlocksetID" = {blockset}"""
            ),
            Is.EqualTo("-1")
        );
    }

    [Test]
    [Contract("A 6.6 removal steps 2 to 9")]
    [Contract("A 8.3 PrepareForDeleteAsync")]
    public async Task What_another_connection_has_committed_counts_when_volumes_are_removed()
    {
        await using var child = await LocalDeleteDatabase.CreateAsync(m_owner, null, default);
        var two = await m_owner.RegisterRemoteVolumeAsync("two", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        await child.RegisterDuplicatedBlockAsync(BlockFixture.Hash(-1), BlockBytes, two, default);
        await m_owner.CommitAsync(default);
        Assert.That(await m_owner.GetRemoteVolumeIDAsync("one", default), Is.EqualTo(1), "it has begun to read");
        Other(
            $"""INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (9, '{BlockFixture.Hash(9)}', 1024, 1); INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (9, {two})"""
        );

        await child.PrepareForDeleteAsync("one", [1], default);
        await m_owner.CommitAsync(default);
        Assert.That(Committed($"""SELECT COUNT(*) FROM "Block" WHERE "VolumeID" = {two}"""), Is.EqualTo("2"));

        Assert.That(await m_owner.GetRemoteVolumeIDAsync("two", default), Is.EqualTo(two), "it has begun to read");
        Other(
            $"""INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (5, 1024, 'theirs'); INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (5, 0, 9)"""
        );
        await m_owner.RemoveRemoteVolumeAsync("two", default);
        await m_owner.CommitAsync(default);
        Assert.That(
            Committed(
                """SELECT (SELECT COUNT(*) FROM "Block") + (SELECT COUNT(*) FROM "Blockset") + (SELECT COUNT(*) FROM "BlocksetEntry")"""
            ),
            Is.EqualTo("0")
        );
    }

    // A recreate gave an id that the list of copies still had.
    [Test]
    [Contract("B 9.8 rule 1")]
    public Task Objects_that_once_gave_another_id_than_plain_statements_give_the_same() => WorkInTurnAsync(3334698);

    [Test]
    [Contract("A 1.1 child")]
    [Contract("B 9.8 rule 1")]
    public async Task Objects_that_work_in_turn_give_the_answers_and_tables_of_plain_statements([Range(0, 9)] int part)
    {
        var seed = LongRun.Seed() + part;
        await WorkInTurnAsync(seed);
    }

    private static async Task WorkInTurnAsync(int seed)
    {
        await using var plan = new SharedConnectionPlan(seed);
        await plan.BeginAsync();
        for (var step = 0; step < 150; step++)
        {
            await plan.StepAsync();
            if (step % 25 == 0)
                plan.Compare();
        }

        plan.Compare();
    }

    private Task<LocalRecreateDatabase> MakeRecreateAsync() => LocalRecreateDatabase.CreateAsync(m_owner, new Options([]), null, default);

    private Task ResolveAsync() => m_recreate.FindMissingBlocklistHashesAsync(HashBytes, BlockBytes, default);

    // A blockset of one block that no volume has been seen to hold.
    private async Task<string> AddSmallFileAsync()
    {
        var blockset = await m_recreate.AddBlocksetAsync("file", 5, [], 0, default);
        await m_recreate.AddSmallBlocksetLinkAsync("file", BlockFixture.Hash(5), 5, default);
        return blockset.ToString(CultureInfo.InvariantCulture);
    }

    private void Other(string sql) => Databases.Execute(DatabasePath, sql);

    private string? Committed(string sql) => Databases.Query(DatabasePath, sql);
}
