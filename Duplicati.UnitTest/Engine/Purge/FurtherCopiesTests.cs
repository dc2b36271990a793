// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Purge;
using Duplicati.UnitTest.Main.LocalDatabaseTests;

namespace Duplicati.UnitTest.Engine.Purge;

internal sealed class FurtherCopiesTests : LocalDatabaseTestBase
{
    // 1 and 2 are missing, 3 has another size, 4 goes, 5 and 6 are whole.
    [SetUp]
    public void MakeVolumes()
    {
        foreach (var id in Enumerable.Range(1, 6))
            Execute(
                $"""
                INSERT INTO "Remotevolume" ("ID", "OperationID", "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
                VALUES ({id}, 1, 'volume {id}', 'Blocks', 1, 'x', '{(id == 4 ? "Deleting" : "Verified")}', 0, 0, 0, 0)
                """
            );
    }

    [Test]
    public void A_block_of_a_missing_volume_goes_to_a_whole_one_that_has_a_copy()
    {
        Execute(
            """
            INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (1, 'whole', 32, 1), (2, 'other size', 32, 1), (3, 'gone', 32, 2), (4, 'none', 32, 1), (5, 'there', 32, 6);
            INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (1, 2), (1, 3), (1, 5), (1, 6), (2, 3), (3, 1), (3, 4), (5, 5);
            """
        );

        FurtherCopies.TakeOver(Db, [1, 2], [3]);

        Assert.That(
            Scalar("""SELECT group_concat("Hash" || ' ' || "VolumeID") FROM (SELECT * FROM "Block" ORDER BY "ID")"""),
            Is.EqualTo("whole 5,other size 3,gone 2,none 1,there 6")
        );
        Assert.That(
            Scalar("""SELECT group_concat("BlockID" || "VolumeID") FROM (SELECT * FROM "DuplicateBlock" ORDER BY 1, 2)"""),
            Is.EqualTo("12,13,16,31,34,55")
        );
    }

    [Test]
    public void Where_no_block_of_a_missing_volume_has_a_copy_no_row_is_written()
    {
        Execute(
            """
            INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (1, 'none', 32, 1), (2, 'none', 64, 2), (3, 'there', 32, 5);
            INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (3, 6);
            """
        );
        var before = Scalar("SELECT total_changes()");

        FurtherCopies.TakeOver(Db, [1, 2], [3]);

        Assert.That(Scalar("SELECT total_changes()"), Is.EqualTo(before));
    }
}
