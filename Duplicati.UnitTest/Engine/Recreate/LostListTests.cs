using Duplicati.Engine.Recreate;
using Duplicati.UnitTest.Main.LocalDatabaseTests;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Recreate;

internal sealed class LostListTests : LocalDatabaseTestBase
{
    [Test]
    public void A_lost_copy_of_a_list_leaves_each_other_copy_once()
    {
        Execute("""
            INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (1, 'list', 32, 7), (2, 'alone', 32, 7), (3, 'other', 32, 7);
            INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (1, 8), (1, 9), (3, 8);
            """);

        LostList.Forget(Db, "list", 7);
        LostList.Forget(Db, "alone", 7);

        Assert.That(Scalar("""SELECT group_concat("Hash" || "VolumeID") FROM (SELECT * FROM "Block" ORDER BY "ID")"""), Is.EqualTo("list8,other7"));
        Assert.That(Scalar("""SELECT group_concat("BlockID" || "VolumeID") FROM (SELECT * FROM "DuplicateBlock" ORDER BY 1, 2)"""), Is.EqualTo("19,38"));
    }
}
