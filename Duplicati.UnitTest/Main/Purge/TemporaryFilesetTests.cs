// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Main.Purge;

[TestFixture]
public class TemporaryFilesetTests : PurgeTestBase
{
    [TestCase("/d/a", "/d/a")]
    [TestCase("/d/a|/e/c|/unknown", "/d/a /e/c")]
    [TestCase("@/d/a", "/d/a")]
    [TestCase("/d/?", "/d/a /d/b")]
    [TestCase("[.*/c]", "/e/c")]
    [TestCase("/D/A", "")]
    [TestCase("/d", "")]
    [Contract("C 5 ApplyFilterAsync by filter")]
    public async Task An_including_filter_marks_what_matches(string rules, string expected)
    {
        await using var temporary = await Db.CreateTemporaryFilesetAsync(FilesetId, default);

        await temporary.ApplyFilterAsync(new FilterExpression(rules.Split('|')), default);

        Assert.That(string.Join(' ', await NamesAsync(temporary)), Is.EqualTo(expected));
        Assert.That(temporary.RemovedFileCount, Is.EqualTo(expected.Length == 0 ? 0 : expected.Split(' ').Length));
        Assert.That(temporary.UpdatedFileCount, Is.Zero);
    }

    [TestCase("/d/a|/d/|/link")]
    [TestCase("/d/a*|/d/|/link")]
    [Contract("C 11 Q12")]
    [Contract("C 5 ApplyFilterAsync by filter")]
    public async Task An_excluding_filter_marks_all_others_whether_its_rules_are_paths_or_patterns(string rules)
    {
        await using var temporary = await Db.CreateTemporaryFilesetAsync(FilesetId, default);

        await temporary.ApplyFilterAsync(new FilterExpression(rules.Split('|'), false), default);

        Assert.That(await NamesAsync(temporary), Is.EqualTo(new[] { "/d/b", "/e/c" }));
    }

    [Test]
    [Contract("C 5 RemovedFileSize")]
    [Contract("C 12 row 8")]
    public async Task Reduced_statistics_leave_the_size_out()
    {
        await using var temporary = await Db.CreateTemporaryFilesetAsync(FilesetId, default);
        temporary.ReducedPurgeStatistics = true;

        await temporary.ApplyFilterAsync(new FilterExpression("/d/a"), default);

        Assert.That((temporary.RemovedFileCount, temporary.RemovedFileSize), Is.EqualTo((1L, -1L)));
    }

    [Test]
    [Contract("C 5 ApplyFilterAsync by command")]
    [Contract("C 2.5")]
    public async Task A_command_may_fill_the_table_through_its_own_or_another_object()
    {
        await using var temporary = await Db.CreateTemporaryFilesetAsync(FilesetId, default);

        await temporary.ApplyFilterAsync(
            async (command, id, table) =>
            {
                Assert.That(id, Is.EqualTo(FilesetId).And.EqualTo(temporary.ParentID));
                command.CommandText = $"""INSERT INTO "{table}" ("FileID") SELECT "ID" FROM "FileLookup" WHERE "Path" = 'a'""";
                Assert.That(command.ExecuteNonQuery(), Is.EqualTo(1));
                await using var broken = await LocalListBrokenFilesDatabase.CreateAsync(Db, null, default);
                await broken.InsertBrokenFileIDsIntoTableAsync(id, table, "FileID", default);
                return 42;
            },
            default
        );

        Assert.That((temporary.RemovedFileCount, temporary.UpdatedFileCount), Is.EqualTo((1L, 42L)));
    }

    [Test]
    [Contract("C 11.2 row 16")]
    [Contract("C 11 Q13")]
    [Contract("C 5 PurgeWouldRemoveEntireFileset")]
    public async Task Removing_everything_is_refused()
    {
        await using var temporary = await Db.CreateTemporaryFilesetAsync(FilesetId, default);
        await using var empty = await Db.CreateTemporaryFilesetAsync(9999, default);

        Assert.That(() => temporary.ApplyFilterAsync(new FilterExpression("*"), default), Refused.HelpId("PurgeWouldRemoveEntireFileset"));
        Assert.That(
            () => empty.ApplyFilterAsync(new FilterExpression("/x"), default),
            Throws.InstanceOf<UserInformationException>(),
            "also of a fileset without entries"
        );
    }

    [TestCase(DateTimeKind.Utc, true)]
    [TestCase(DateTimeKind.Local, false)]
    [Contract("C 5 ConvertToPermanentFilesetAsync")]
    public async Task The_rewritten_fileset_has_the_unmarked_entries_and_a_temporary_list(DateTimeKind kind, bool isFull)
    {
        var time = DateTime.UnixEpoch.AddSeconds(3000);
        long volumeId,
            filesetId;
        await using (var temporary = await Db.CreateTemporaryFilesetAsync(FilesetId, default))
        {
            await temporary.ApplyFilterAsync(new FilterExpression("/d/*"), default);
            (volumeId, filesetId) = await temporary.ConvertToPermanentFilesetAsync(
                "new.dlist.zip",
                kind == DateTimeKind.Utc ? time : time.ToLocalTime(),
                isFull,
                default
            );
            Assert.That(Data.Rows("""SELECT COUNT(*) FROM "Fileset" """), Is.EqualTo(new[] { "2" }), "it is not committed");
            await Db.Transaction.CommitAsync(default);
            Assert.That(await temporary.ListAllDeletedFilesAsync(default).CountAsync(), Is.EqualTo(2), "the choice outlives the commit");
        }

        Assert.That(
            Data.Rows(
                $"""
                SELECT f."Path" FROM "FilesetEntry" e JOIN "File" f ON f."ID" = e."FileID" WHERE e."FilesetID" = {filesetId} AND e."Lastmodified" = 5
                AND e."FileID" IN (SELECT "FileID" FROM "FilesetEntry" WHERE "FilesetID" = {FilesetId})
                """
            ),
            Is.EqualTo(new[] { "/e/c", "/link" })
        );
        Assert.That(
            Data.Rows(
                $"""
                SELECT v."Name", v."Type", v."State", o."Description" FROM "Remotevolume" v JOIN "Operation" o ON o."ID" = v."OperationID"
                WHERE v."ID" = {volumeId}
                """
            ),
            Is.EqualTo(new[] { "new.dlist.zip|Files|Temporary|Purge" })
        );
        Assert.That(
            Data.Rows($"""SELECT "VolumeID", "Timestamp", "IsFullBackup" FROM "Fileset" WHERE "ID" = {filesetId}"""),
            Is.EqualTo(new[] { $"{volumeId}|3000|{(isFull ? 1 : 0)}" })
        );
        Assert.That(
            Data.Rows($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {FilesetId}"""),
            Is.EqualTo(new[] { "5" }),
            "the parent stays"
        );
    }

    [Test]
    [Contract("C 5 disposal")]
    public async Task A_rollback_takes_the_choice_with_it_and_disposal_tolerates_that()
    {
        var temporary = await Db.CreateTemporaryFilesetAsync(FilesetId, default);
        await temporary.ApplyFilterAsync(new FilterExpression("/d/a"), default);
        await temporary.ConvertToPermanentFilesetAsync("new.dlist.zip", DateTime.UnixEpoch.AddSeconds(3000), true, default);

        await Db.Transaction.RollBackAsync(default);

        Assert.That(temporary.Dispose, Throws.Nothing);
        Assert.That(temporary.Dispose, Throws.Nothing);
        Assert.That(Db.Connection.Scalar("""SELECT COUNT(*) FROM "Fileset" """), Is.EqualTo("2"));
    }

    [Test]
    [Contract("C 5 GetRemoteVolumeNameForFilesetAsync")]
    public async Task The_list_volume_of_a_fileset_has_a_name()
    {
        Assert.That(await Db.GetRemoteVolumeNameForFilesetAsync(FilesetId, default), Is.EqualTo("duplicati-1000.dlist.zip"));
        Assert.That(
            () => Db.GetRemoteVolumeNameForFilesetAsync(777, default),
            Throws.TypeOf<Exception>().With.Message.EqualTo("No remote volume found for fileset with id 777")
        );
    }

    [Test]
    [Contract("C 5 CountOrphanFilesAsync")]
    public async Task Files_without_a_fileset_are_counted()
    {
        Assert.That(await Db.CountOrphanFilesAsync(default), Is.Zero);

        Db.Connection.Execute(
            """DELETE FROM "FilesetEntry" WHERE "FileID" IN (SELECT "ID" FROM "FileLookup" WHERE "Path" IN ('b', 'link'))"""
        );

        Assert.That(await Db.CountOrphanFilesAsync(default), Is.EqualTo(2));
    }

    private static async Task<List<string>> NamesAsync(LocalPurgeDatabase.ITemporaryFileset temporary) =>
        await temporary.ListAllDeletedFilesAsync(default).Select(x => x.Key).Order().ToListAsync();
}

/// <summary>A version of two files in a folder, one in another, and a link; a second version has the first of the files.</summary>
public abstract class PurgeTestBase : SampleTestBase
{
    private protected LocalPurgeDatabase Db { get; private set; } = null!;

    private protected long FilesetId { get; private set; }

    [SetUp]
    public async Task Fill()
    {
        var volume = Data.Volume("blocks");
        var (own, shared, c, m, common) = (
            Data.Block("own", 10, volume),
            Data.Block("shared", 20, volume),
            Data.Block("c", 40, volume),
            Data.Block("m", 7, volume),
            Data.Block("common", 9, volume)
        );
        var metadata = Data.Metadata(Data.Blockset("common", 9, common));
        var a = Data.File("/d/a", Data.Blockset("a", 30, own, shared), Data.Metadata(Data.Blockset("m", 7, m)));
        FilesetId = Data.Fileset(
            1000,
            a,
            Data.File("/d/", SampleDatabase.Folder, metadata),
            Data.File("/d/b", Data.Blockset("b", 30, shared), metadata),
            Data.File("/e/c", Data.Blockset("c", 40, c), metadata),
            Data.File("/link", SampleDatabase.Symlink, metadata)
        );
        Data.Fileset(2000, a);
        Data.Insert("""UPDATE "FilesetEntry" SET "Lastmodified" = 5""");
        Db = await LocalPurgeDatabase.CreateAsync(Data.Close(), null, default);
    }

    [TearDown]
    public void Close() => Db.Dispose();
}
