// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>What is left in the tables by whole operations, and what users are told about slow ones.</summary>
[TestFixture]
internal sealed class AOperationTests
{
    // Rows that point to a volume which is not there, in each table that points to volumes.
    private static readonly string[] s_dangling =
    [
        """SELECT COUNT(*) FROM "Block" WHERE "VolumeID" NOT IN (SELECT "ID" FROM "Remotevolume")""",
        """SELECT COUNT(*) FROM "DeletedBlock" WHERE "VolumeID" NOT IN (SELECT "ID" FROM "Remotevolume")""",
        """SELECT COUNT(*) FROM "DuplicateBlock" WHERE "VolumeID" NOT IN (SELECT "ID" FROM "Remotevolume") OR "BlockID" NOT IN (SELECT "ID" FROM "Block")""",
        """SELECT COUNT(*) FROM "IndexBlockLink" WHERE "IndexVolumeID" NOT IN (SELECT "ID" FROM "Remotevolume") OR "BlockVolumeID" NOT IN (SELECT "ID" FROM "Remotevolume")""",
        """SELECT COUNT(*) FROM "Fileset" WHERE "VolumeID" NOT IN (SELECT "ID" FROM "Remotevolume")""",
        """SELECT COUNT(*) FROM "Remotevolume" WHERE "State" IN ('Temporary', 'Uploading')""",
        """SELECT COUNT(*) FROM "Block" JOIN "DeletedBlock" USING ("Hash", "Size", "VolumeID")""",
    ];

    [Test]
    [Platform(Exclude = "Win")]
    [Contract("A 12 row 14")]
    [Contract("A 10 invariants")]
    public async Task No_row_points_to_a_volume_that_is_gone_or_was_never_finished()
    {
        using var backup = new BackupCase(x => x with { SmallFileMaxCount = 1 });
        var random = new Random(7);
        SourceTree.Make(backup.Source, random);
        await backup.BackUpAsync();
        AssertNothingDangles(backup, "first backup");
        SourceTree.Change(backup.Source, random);
        await backup.BackUpAsync();
        AssertNothingDangles(backup, "second backup");
        await backup.DeleteAsync(1);
        AssertNothingDangles(backup, "delete and compact");
        File.Delete(backup.Options.DatabasePath);
        await backup.RecreateAsync(backup.Options.DatabasePath);
        AssertNothingDangles(backup, "recreate");
        await backup.BackUpAsync();
        AssertNothingDangles(backup, "backup to the recreated database");
    }

    [Test]
    [Contract("A 13 Q26")]
    public async Task Implicit_commits_stay_when_the_caller_rolls_everything_else_back()
    {
        await using var backup = await BackupFixture.CreateAsync();
        var blockset = await backup.AddContentAsync(1);
        await backup.Database.AddFileAsync("/a", DateTime.UtcNow, blockset, await backup.AddMetadataAsync(2), default);
        await backup.Database.AddBlockAsync(BlockFixture.Hash(3), 10, backup.VolumeId, default);
        await backup.Database.Transaction.RollBackAsync("dry run", true, default);

        Assert.That(backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(2));
        Assert.That(backup.Number("""SELECT COUNT(*) FROM "FileLookup" """), Is.EqualTo(1));
        Assert.That(backup.Number("""SELECT COUNT(*) FROM "FilesetEntry" """), Is.Zero);
        Assert.That(await backup.Database.AddBlockAsync(BlockFixture.Hash(3), 10, backup.VolumeId, default), Is.True);
    }

    [Test]
    [Contract("A 5.8 internal statements")]
    public async Task Long_work_inside_a_member_is_reported_with_its_name_and_its_statement()
    {
        await using var backup = await BackupFixture.CreateAsync();
        using var reported = new ManualResetEventSlim();
        using var log = new LogCapture(entry =>
        {
            if (entry.Id == "SlowQueryDetected")
                reported.Set();
        });
        using (SlowQueryMonitor.StartMonitoring(TimeSpan.FromSeconds(1)))
        {
            backup.Database.Session.Statements.Observe(_ => reported.Wait(TimeSpan.FromMinutes(1)));
            await backup.Database.GetBlocksLargerThanAsync(5, default);
            backup.Database.Session.Statements.Fault = null;
        }

        var warning = log.Of(LogMessageType.Warning, "SlowQueryDetected")[0];
        Assert.That(warning.Tag, Is.EqualTo("Duplicati.Library.Main.Database.SlowQueryMonitor"));
        Assert.That(
            warning.FormattedMessage,
            Does.Contain("GetBlocksLargerThanAsync").And.Contain("SELECT COUNT(*) FROM \"Block\" WHERE \"Size\"")
        );
    }

    private static void AssertNothingDangles(BackupCase backup, string when)
    {
        using var connection = Library.SQLiteHelper.SQLiteLoader.LoadConnection(backup.Options.DatabasePath);
        foreach (var sql in s_dangling)
            Assert.That(connection.Scalar(sql), Is.EqualTo("0"), $"{when}: {sql}");
    }
}
