// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocksets;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>Blocklists that many blocksets have, as runs of zeros make them.</summary>
[TestFixture]
internal sealed class KnownBlocklistTests : BackupTestBase
{
    private const int Filesets = 4;
    private const int Lists = 5;

    [Test]
    public void Any_blocklists_are_known_or_not_as_plain_statements_say()
    {
        var random = new Random(LongRun.Seed());
        for (var round = 0; round < 40; round++)
        {
            Fill(random);
            var known = new KnownBlocklists(Db.Session);
            var current = random.Next(1, Filesets + 2);
            var asked = new HashSet<int>();
            for (var question = 0; question < 30; question++)
            {
                // Commands beside it.
                if (question == 15)
                    Fill(random);
                var list = random.Next(1, Lists + 2);
                var first = Backup.Number(
                    $"""
                    SELECT IFNULL(MIN(e."FilesetID"), -1) FROM "BlocklistHash" h JOIN "FileLookup" l ON l."BlocksetID" = h."BlocksetID" JOIN "FilesetEntry" e ON e."FileID" = l."ID"
                    WHERE h."Hash" = '{BlockFixture.Hash(list)}'
                    """
                );
                var expected = asked.Contains(list) || (first >= 0 && first != current);
                lock (Db.Session.ConnectionLock)
                    Assert.That(
                        known.IsKnown(BlockFixture.Hash(list), current),
                        Is.EqualTo(expected),
                        $"round {round}, question {question}"
                    );
                if (!expected)
                    asked.Add(list);
            }
        }
    }

    [Test]
    public async Task A_blocklist_of_many_blocksets_is_looked_up_in_a_few_of_them()
    {
        const int Blocksets = 5000;
        Backup.Execute(
            $"""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {Blocksets})
            INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") SELECT i, 0, '{BlockFixture.Hash(1)}' FROM n;
            INSERT INTO "FileLookup" ("ID", "PrefixID", "Path", "BlocksetID", "MetadataID") SELECT "BlocksetID", 1, 'f' || "BlocksetID", "BlocksetID", 1 FROM "BlocklistHash";
            INSERT INTO "FilesetEntry" SELECT {Backup.FilesetId}, "ID", 0 FROM "FileLookup";
            """
        );
        await Backup.AddFilesetAsync(DateTime.UtcNow);
        var figures = Db.Session.Statements.Figures;
        var before = figures.RowsRead;

        for (var i = 0; i < Blocksets; i++)
            Assert.That(await Db.IsBlocklistHashKnownAsync(BlockFixture.Hash(1), default), Is.True);

        // All rows once, and two for each question.
        Assert.That(figures.RowsRead - before, Is.LessThan(4 * Blocksets));
    }

    [Test]
    public async Task A_blocklist_of_a_version_that_is_deleted_is_not_known_any_more()
    {
        await using var delete = await LocalDeleteDatabase.CreateAsync(Db, null, default);
        var deleted = await Backup.AddFilesetAsync(new DateTime(2023, 1, 1, 0, 0, 0, DateTimeKind.Utc));
        AddBlocklistOfMany(deleted);
        await Backup.AddFilesetAsync(DateTime.UtcNow);
        Assert.That(await Db.IsBlocklistHashKnownAsync(BlockFixture.Hash(1), default), Is.True);

        await foreach (
            var _ in delete.DropFilesetsFromTableAsync([new DateTime(2023, 1, 1, 0, 0, 0, DateTimeKind.Utc)], CancellationToken.None)
        ) { }
        Assert.That(await Db.IsBlocklistHashKnownAsync(BlockFixture.Hash(1), default), Is.False);
    }

    [Test]
    public async Task A_blocklist_of_entries_that_are_rolled_back_is_not_known_any_more()
    {
        var other = Backup.FilesetId;
        await Backup.AddFilesetAsync(DateTime.UtcNow);
        await Db.CommitAsync(default);
        AddBlocklistOfMany(other);
        Assert.That(await Db.IsBlocklistHashKnownAsync(BlockFixture.Hash(1), default), Is.True);

        await Db.Transaction.RollBackAsync(CancellationToken.None);
        Assert.That(await Db.IsBlocklistHashKnownAsync(BlockFixture.Hash(1), default), Is.False);
    }

    // More rows than are looked up one by one; only a file of the last one is in a version.
    private void AddBlocklistOfMany(long fileset) =>
        Backup.Execute(
            $"""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
            INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") SELECT i, 0, '{BlockFixture.Hash(1)}' FROM n;
            INSERT INTO "FileLookup" ("ID", "PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (20, 1, 'f', 20, 1);
            INSERT INTO "FilesetEntry" VALUES ({fileset}, 20, 0);
            """
        );

    // Blocksets of few blocklists; some are of no file, and some files of no version.
    private void Fill(Random random)
    {
        Backup.Execute("""DELETE FROM "BlocklistHash"; DELETE FROM "FileLookup"; DELETE FROM "FilesetEntry" """);
        for (var blockset = 1; blockset <= 60; blockset++)
        {
            for (var index = random.Next(3); index >= 0; index--)
                Backup.Execute(
                    $"""INSERT INTO "BlocklistHash" VALUES ({blockset}, {index}, '{BlockFixture.Hash(random.Next(1, Lists + 1))}')"""
                );
            if (random.Next(4) > 0)
                Backup.Execute($"""INSERT INTO "FileLookup" VALUES ({blockset}, 1, 'f{blockset}', {blockset}, 1)""");
            // In most rounds the oldest files are in the newest versions alone.
            for (var fileset = 1 + random.Next(Filesets); random.Next(3) > 0 && fileset <= Filesets && blockset > 20; fileset++)
                Backup.Execute($"""INSERT INTO "FilesetEntry" VALUES ({fileset}, {blockset}, 0)""");
            if (blockset <= 20 && random.Next(3) == 0)
                Backup.Execute($"""INSERT INTO "FilesetEntry" VALUES ({Filesets}, {blockset}, 0)""");
        }
    }
}
