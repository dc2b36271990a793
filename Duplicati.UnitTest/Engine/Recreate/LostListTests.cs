// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Recreate;
using Duplicati.UnitTest.Main.LocalDatabaseTests;

namespace Duplicati.UnitTest.Engine.Recreate;

internal sealed class LostListTests : LocalDatabaseTestBase
{
    [Test]
    public void A_lost_copy_of_a_list_leaves_each_other_copy_once()
    {
        Execute(
            """
            INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (1, 'list', 32, 7), (2, 'alone', 32, 7), (3, 'other', 32, 7);
            INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (1, 8), (1, 9), (3, 8);
            """
        );

        LostList.Forget(Db, "list", 7, isKnown: false);
        LostList.Forget(Db, "alone", 7, isKnown: false);

        Assert.That(
            Scalar("""SELECT group_concat("Hash" || "VolumeID") FROM (SELECT * FROM "Block" ORDER BY "ID")"""),
            Is.EqualTo("list8,other7")
        );
        Assert.That(
            Scalar("""SELECT group_concat("BlockID" || "VolumeID") FROM (SELECT * FROM "DuplicateBlock" ORDER BY 1, 2)"""),
            Is.EqualTo("19,38")
        );
    }

    [Test]
    public void The_block_of_a_list_whose_content_is_known_goes_to_another_copy_or_stays()
    {
        Execute(
            """
            INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (1, 'list', 32, 7), (2, 'alone', 32, 7);
            INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (1, 8);
            """
        );

        LostList.Forget(Db, "list", 7, isKnown: true);
        LostList.Forget(Db, "alone", 7, isKnown: true);

        Assert.That(
            Scalar("""SELECT group_concat("Hash" || "VolumeID") FROM (SELECT * FROM "Block" ORDER BY "ID")"""),
            Is.EqualTo("list8,alone7")
        );
        Assert.That(Scalar("""SELECT COUNT(*) FROM "DuplicateBlock" """), Is.EqualTo("0"));
    }

    [Test]
    public void A_list_is_unknown_as_long_as_a_file_lacks_the_blocks_at_its_place()
    {
        Execute(
            """
            INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") VALUES (1, 0, 'first'), (1, 1, 'second'), (2, 0, 'first'), (3, 0, 'third');
            INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (1, 0, 5), (1, 1, 5), (2, 0, 5), (3, 1, 5);
            """
        );

        Assert.That(LostList.Unknown(Db, 2), Is.EquivalentTo(new[] { "second", "third" }));
        Assert.That(LostList.Unknown(Db, 1), Is.EqualTo(new[] { "third" }));
    }
}
