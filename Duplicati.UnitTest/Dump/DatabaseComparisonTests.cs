// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Dump;

[TestFixture]
public sealed class DatabaseComparisonTests : FolderTestBase
{
    [Test]
    public void Database_equals_itself() => Assert.That(Compare("k-small", "local.dump.json", "k-small", "local.dump.json"), Is.Empty);

    [Test]
    public void Other_content_is_told_by_section()
    {
        var differences = Compare("k-small", "local.dump.json", "a-plain-1k", "local.dump.json");
        Assert.That(differences.Select(x => x.Section), Does.Contain("blocks").And.Contain("filesets").And.Contain("remote_volumes"));
    }

    [TestCase("a-plain-1k")]
    [TestCase("b-aes-1k")]
    [TestCase("c-plain-10k-1mb")]
    [TestCase("h-metadata-content")]
    [TestCase("i-sha512")]
    [TestCase("e-keep2-autocompact")]
    public void Recreated_database_differs_only_in_what_recreate_cannot_know(string set)
    {
        Assert.That(Compare(set, "local.dump.json", set, "recreated.dump.json"), Is.Not.Empty);
        Assert.That(Compare(set, "local.dump.json", set, "recreated.dump.json", DumpComparisonOptions.Recreated), Is.Empty);
    }

    [Test]
    public void Renamed_volumes_are_matched_by_what_they_hold()
    {
        var original = GoldenData.Unpack("a-plain-1k", "local.sqlite", Folder.Path, "original.sqlite");
        var renamed = GoldenData.Unpack("a-plain-1k", "local.sqlite", Folder.Path, "renamed.sqlite");
        Databases.Execute(
            renamed,
            """UPDATE "Remotevolume" SET "Name" = 'new-' || "ID" || "Name", "Hash" = 'other', "Size" = "Size" + 1 """
        );
        Assert.Multiple(() =>
        {
            Assert.That(Databases.Compare(original, renamed), Is.Not.Empty);
            Assert.That(VolumeRenaming.Compare(DatabaseDump.Load(original), DatabaseDump.Load(renamed)), Is.Empty);
        });
    }

    [Test]
    public void Renaming_does_not_hide_a_block_in_another_volume()
    {
        var original = GoldenData.Unpack("a-plain-1k", "local.sqlite", Folder.Path, "original.sqlite");
        var moved = GoldenData.Unpack("a-plain-1k", "local.sqlite", Folder.Path, "moved.sqlite");
        Databases.Execute(moved, """UPDATE "Remotevolume" SET "Name" = 'new-' || "Name" """);
        Databases.Execute(
            moved,
            """UPDATE "Block" SET "VolumeID" = (SELECT MAX("ID") FROM "Remotevolume" WHERE "Type" = 'Blocks') WHERE "ID" = 1"""
        );
        Assert.Multiple(() =>
        {
            Assert.That(VolumeRenaming.Compare(DatabaseDump.Load(original), DatabaseDump.Load(moved)), Is.Not.Empty);
            Assert.That(
                VolumeRenaming.Compare(
                    DatabaseDump.Load(original),
                    DatabaseDump.Load(moved),
                    new DumpComparisonOptions { IgnoreBlockPlacement = true }
                ),
                Is.Empty
            );
        });
    }

    [Test]
    public void Copies_of_a_block_are_compared_whichever_is_in_use()
    {
        var pooled = new DumpComparisonOptions { PoolCopies = true };
        var original = GoldenData.Unpack("a-plain-1k", "local.sqlite", Folder.Path, "original.sqlite");
        var swapped = GoldenData.Unpack("a-plain-1k", "local.sqlite", Folder.Path, "swapped.sqlite");
        var missing = GoldenData.Unpack("a-plain-1k", "local.sqlite", Folder.Path, "missing.sqlite");
        Databases.Execute(missing, $"{Copy("MAX")}; DELETE FROM \"DuplicateBlock\"");
        Databases.Execute(original, Copy("MAX"));
        Databases.Execute(swapped, Copy("MIN"));
        // One in a volume that is gone is none.
        Databases.Execute(swapped, """INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (2, 1000000)""");
        Assert.Multiple(() =>
        {
            Assert.That(Databases.Compare(original, swapped), Is.Not.Empty);
            Assert.That(Databases.Compare(original, swapped, pooled with { IgnoreAllRowCounts = true }), Is.Empty);
            Assert.That(Databases.Compare(original, missing, pooled with { IgnoreAllRowCounts = true }), Has.Count.EqualTo(1));
        });

        // The block in use is in one volume, and its copy in the other.
        static string Copy(string function)
        {
            var other = function == "MIN" ? "MAX" : "MIN";
            return $"""
                UPDATE "Block" SET "VolumeID" = (SELECT {function}("ID") FROM "Remotevolume" WHERE "Type" = 'Blocks') WHERE "ID" = 1;
                INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") SELECT 1, {other}("ID") FROM "Remotevolume" WHERE "Type" = 'Blocks'
                """;
        }
    }

    [Test]
    public void Element_that_occurs_once_more_is_a_difference()
    {
        var original = GoldenData.Unpack("k-small", "local.sqlite", Folder.Path, "original.sqlite");
        var doubled = GoldenData.Unpack("k-small", "local.sqlite", Folder.Path, "doubled.sqlite");
        Databases.Execute(doubled, """INSERT INTO "IndexBlockLink" SELECT * FROM "IndexBlockLink" LIMIT 1""");
        var differences = Databases.Compare(original, doubled, new DumpComparisonOptions { IgnoreAllRowCounts = true });
        Assert.That(differences, Has.Count.EqualTo(1));
        Assert.That(differences[0].ToString(), Does.StartWith("index_block_links + "));
    }

    // The table of schema 21 is that of D 4.1.
    [Test]
    [Contract("D 1.3")]
    public void Labels_and_restore_tests_are_compared_and_survive_a_dump()
    {
        var one = GoldenData.Unpack("k-small", "local.sqlite", Folder.Path, "one.sqlite");
        Databases.Execute(
            one,
            """
            ALTER TABLE "Fileset" ADD COLUMN "Label" TEXT NULL;
            UPDATE "Fileset" SET "Label" = 'before the move' WHERE "ID" = (SELECT MIN("ID") FROM "Fileset");
            CREATE TABLE "RestoreTestHistory" ("ID" INTEGER PRIMARY KEY, "Path" TEXT NOT NULL, "LastVerified" INTEGER NOT NULL, "LastResult" TEXT NOT NULL);
            INSERT INTO "RestoreTestHistory" VALUES (1, '/a', 5, 'Passed')
            """
        );
        var other = Folder.File("other.sqlite");
        File.Copy(one, other);
        Databases.Execute(other, """UPDATE "Fileset" SET "Label" = NULL; UPDATE "RestoreTestHistory" SET "LastResult" = 'Failed'""");

        var differences = Databases.Compare(one, other).Select(x => x.ToString()).ToArray();
        Assert.That(differences, Has.Length.EqualTo(3).And.Some.Match("^filesets - .*label=\"before the move\""));
        Assert.That(
            differences,
            Does.Contain("restore_tests - [\"/a\", 5, \"Passed\"]").And.Contain("restore_tests + [\"/a\", 5, \"Failed\"]")
        );
        Assert.That(
            Databases.Compare(one, other, DumpComparisonOptions.Recreated),
            Has.Count.EqualTo(1),
            "the remote folder knows of no restore test"
        );

        using var text = new MemoryStream();
        DatabaseDump.Write(one, text);
        text.Position = 0;
        var parsed = DumpParser.Parse(text);
        Assert.That(DatabaseComparison.Compare(DatabaseDump.Load(one), parsed), Is.Empty);
        Assert.That(parsed.Filesets.Select(x => x.Label), Does.Contain("before the move"));
        Assert.That(parsed.RestoreTests, Has.Exactly(1).Items);
    }

    [Test]
    public void Version_of_the_schema_counts_unless_left_out()
    {
        const string NAME = "old-schema";
        Assert.That(Compare(NAME, "downgraded-v18.before.dump.json", NAME, "downgraded-v18.after-upgrade.dump.json"), Is.Not.Empty);
        Assert.That(
            Compare(
                NAME,
                "downgraded-v18.before.dump.json",
                NAME,
                "downgraded-v18.after-upgrade.dump.json",
                new DumpComparisonOptions { IgnoreSchema = true, IgnoreAllRowCounts = true }
            ),
            Is.Empty
        );
    }

    private static IReadOnlyList<DumpDifference> Compare(
        string set1,
        string dump1,
        string set2,
        string dump2,
        DumpComparisonOptions? options = null
    ) => DatabaseComparison.Compare(GoldenData.Dump(set1, dump1), GoldenData.Dump(set2, dump2), options);
}
