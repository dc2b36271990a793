// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A recreate in place of a database that is there: that one stays what it is until the new one is complete.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class OverwriteRecreateTests
{
    private RecreateCase m_case = null!;
    private string m_old = "";

    [SetUp]
    public async Task Make()
    {
        m_case = await RecreateCase.MakeAsync(new Random(42), files: 4);
        File.Copy(m_case.Backup.Options.DatabasePath, m_case.Database);
        m_old = Digest();
    }

    [TearDown]
    public void Remove() => m_case.Dispose();

    [Test]
    public void Without_the_option_a_complete_database_is_refused()
    {
        var refused = BackupCase.Refused("RecreateTargetDatabaseExists", () => m_case.RecreateAsync());
        Assert.That(refused.Message, Does.Contain("--overwrite"));
        Assert.That(Digest(), Is.EqualTo(m_old));
    }

    [Test]
    public async Task One_that_comes_while_the_turn_is_waited_for_is_as_safe_as_one_that_was_there([Values] bool overwrite)
    {
        File.Delete(m_case.Database);
        using var waiting = new ManualResetEventSlim();
        m_case.Backup.Warnings.OnMessage = _ => waiting.Set();
        Task recreating;
        using (await OperationTurn.TakeAsync(m_case.Database, SilentProgress.Instance, default))
        {
            recreating = m_case.Operation(_ => Assert.That(Digest(), Is.EqualTo(m_old)), overwrite).RunAsync(default);
            Wait.For(waiting, "the wait");
            m_case.Backup.Warnings.OnMessage = null;
            File.Copy(m_case.Backup.Options.DatabasePath, m_case.Database);
        }

        if (overwrite)
        {
            await recreating;
            m_case.AssertComplete("replaced");
            return;
        }

        BackupCase.Refused("RecreateTargetDatabaseExists", () => recreating);
        Assert.That(Digest(), Is.EqualTo(m_old));
    }

    // Of a program that knows no turns.
    [TestCase(false, "RecreateTargetDatabaseExists")]
    [TestCase(true, "FolderMissing")]
    public void One_that_comes_once_it_has_begun_is_not_removed(bool isFolderGone, string helpId)
    {
        File.Delete(m_case.Database);
        var recreate = new RecreateOperation(m_case.Backup.Options with { DatabasePath = m_case.Database }, m_case.Backup.Warnings)
        {
            Through = folder =>
            {
                File.Copy(m_case.Backup.Options.DatabasePath, m_case.Database);
                return isFolderGone ? throw new RemoteFolderMissingException(folder.Address) : folder;
            },
        };

        Assert.That(Assert.CatchAsync<UserInformationException>(() => recreate.RunAsync(default))!.HelpID, Is.EqualTo(helpId));
        Assert.That(Digest(), Is.EqualTo(m_old));
        Assert.That(File.Exists(m_case.Beside), Is.False);
    }

    [TestCase("default")]
    [TestCase("rebuild")]
    [TestCase("small")]
    public async Task The_old_one_is_there_until_the_new_one_takes_its_place(string preset)
    {
        void Fetching(string name) => Assert.That(Digest(), Is.EqualTo(m_old), name);
        await m_case.Operation(Fetching, overwrite: true, x => x with { Preset = preset }).RunAsync(default);
        m_case.AssertComplete(preset);
    }

    // What an interrupted backup has recorded is in its database alone, as is what a list held whose row was lost.
    [TestCase("UPDATE \"Remotevolume\" SET \"State\" = 'Temporary' WHERE \"Name\" = '{0}'")]
    [TestCase("DELETE FROM \"Remotevolume\" WHERE \"Name\" = '{0}'")]
    public async Task One_that_knows_an_unfinished_version_is_kept(string change)
    {
        var list = m_case.Backup.Volumes("dlist")[^1];
        File.Delete(list);
        Databases.Execute(m_case.Database, change.Replace("{0}", Path.GetFileName(list), StringComparison.Ordinal));

        var (report, _) = await m_case.RecreateAsync(overwrite: true);

        Assert.That(report.OldDatabase, Is.Not.Null.And.Exist);
        Assert.That(Databases.Query(report.OldDatabase!, "SELECT COUNT(*) FROM \"Fileset\""), Is.EqualTo("2"));
    }

    [Test]
    public async Task The_removal_of_the_old_log_is_flushed_before_the_new_one_has_its_name_and_that_afterwards()
    {
        using var steps = new FileSteps().OfAll();
        await m_case.RecreateAsync(overwrite: true);
        // Before: what an earlier recreate had left.
        Assert.That(steps.Done, Is.EqualTo(new[] { FileSteps.Folder, FileSteps.Folder, FileSteps.Name, FileSteps.Folder }));
    }

    [Test]
    public async Task Through_a_link_the_database_is_made_anew_where_it_is_and_not_while_somebody_uses_it()
    {
        var link = m_case.Backup.File("link.sqlite");
        File.CreateSymbolicLink(link, m_case.Database);
        var recreate = new RecreateOperation(m_case.Backup.Options with { DatabasePath = link }, m_case.Backup.Warnings)
        {
            Overwrite = true,
        };
        using (var user = Databases.Open(m_case.Database))
        {
            user.Execute("PRAGMA journal_mode = WAL; DELETE FROM \"LogData\"");
            Assert.That(
                Assert.CatchAsync<UserInformationException>(() => recreate.RunAsync(default))!.HelpID,
                Is.EqualTo("DatabaseIsBusy")
            );
        }

        await new RecreateOperation(m_case.Backup.Options with { DatabasePath = link }, m_case.Backup.Warnings).RunAsync(default);

        Assert.That(new FileInfo(link).LinkTarget, Is.EqualTo(m_case.Database));
        m_case.AssertComplete("where the link leads to");
    }

    // By a program that knows no turns.
    [Test]
    public async Task One_that_was_written_to_while_its_rows_were_carried_over_is_not_replaced_before_that_is_done_again()
    {
        m_case.Backup.Warnings.OnMessage = text =>
        {
            if (text.StartsWith("Carrying over", StringComparison.Ordinal))
                Databases.Execute(m_case.Database, """INSERT INTO "Configuration" VALUES ('of another', '1')""");
        };
        var refused = Assert.CatchAsync<UserInformationException>(() => m_case.RecreateAsync(overwrite: true))!;
        m_case.Backup.Warnings.OnMessage = null;

        Assert.That(refused.HelpID, Is.EqualTo("DatabaseIsBusy"));
        const string Sql = """SELECT "Value" FROM "Configuration" WHERE "Key" = 'of another'""";
        Assert.That(Databases.Query(m_case.Database, Sql), Is.EqualTo("1"));
        await m_case.RecreateAsync(overwrite: true);
        Assert.That(Databases.Query(m_case.Database, Sql), Is.EqualTo("1"), "carried over");
    }

    // A list that was taken for lost, and comes back when another one has been made of its version.
    [Test]
    public async Task A_position_in_a_change_journal_is_carried_over_to_one_of_two_versions_of_a_time()
    {
        var list = m_case.Backup.Volumes("dlist")[0];
        var options = m_case.Backup.Options with { DatabasePath = m_case.Database };
        UpgradeOperation.Run(options.DatabasePath, 20, SilentProgress.Instance, default);
        File.Move(list, m_case.Backup.File("list"));
        await new RepairOperation(options, new RepairChoices(), m_case.Backup.Warnings).RunAsync(default);
        File.Move(m_case.Backup.File("list"), list);
        Databases.Execute(
            options.DatabasePath,
            """
            INSERT INTO "ChangeJournalData" ("FilesetID", "VolumeName", "JournalID", "NextUsn", "ConfigHash")
            SELECT "ID", 'C:', 1, 2, '' FROM "Fileset"
            """
        );

        await m_case.RecreateAsync(overwrite: true);

        Assert.That(
            SampleDatabase.Rows(
                options.DatabasePath,
                """
                SELECT COUNT(*) || ' ' || COUNT(DISTINCT "Fileset"."Timestamp") || ' of ' || (SELECT COUNT(*) FROM "Fileset")
                FROM "ChangeJournalData" JOIN "Fileset" ON "Fileset"."ID" = "ChangeJournalData"."FilesetID"
                """
            ),
            Is.EqualTo(new[] { "2 2 of 3" })
        );
    }

    [Test]
    public async Task What_only_the_old_one_has_is_carried_over_once()
    {
        const string Own = """
            INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message") VALUES (1, 5, 'Result', 'a message');
            UPDATE "Remotevolume" SET "VerificationCount" = 7, "LockExpirationTime" = 1900000000;
            INSERT INTO "Configuration" ("Key", "Value") VALUES ('terminated-with-active-uploads', 'true'), ('of another release', 'x')
            """;
        const string Counts = """
            SELECT (SELECT COUNT(*) FROM "LogData" WHERE "Message" = 'a message' AND "OperationID" = 1),
                (SELECT MIN("VerificationCount") || ' ' || MIN("LockExpirationTime") FROM "Remotevolume" WHERE "Type" = 'Files'),
                (SELECT group_concat("Key") FROM "Configuration" WHERE "Key" IN ('terminated-with-active-uploads', 'of another release')),
                (SELECT group_concat("Description") FROM (SELECT "Description" FROM "Operation" ORDER BY "ID"))
            """;
        Databases.Execute(m_case.Database, Own);
        for (var i = 1; i < 3; i++)
        {
            await m_case.RecreateAsync(overwrite: true);
            Assert.That(
                SampleDatabase.Rows(m_case.Database, Counts),
                Is.EqualTo(
                    new[] { $"1|7 1900000000|of another release|Backup,Backup{string.Concat(Enumerable.Repeat(",Recreate,Recreate", i))}" }
                )
            );
        }
    }

    [Test]
    public async Task Interrupted_it_leaves_the_old_one_and_goes_on_without_the_option()
    {
        await m_case.InterruptAsync(m_case.Volumes, overwrite: true);
        Assert.That(Digest(), Is.EqualTo(m_old));
        Databases.AssertEqual(m_case.Backup.Options.DatabasePath, m_case.Database);
        var done = RecreateCase.Done(m_case.Beside);
        Assert.That(done, Is.Not.Empty);
        var (report, fetched) = await m_case.RecreateAsync();
        Assert.That(report.Kept, Is.EqualTo(done.Length));
        Assert.That(fetched.Intersect(done), Is.Empty);
        m_case.AssertComplete("replaced");
    }

    // A mistyped address would throw away what was read, and put a database of another backup in the place of this one.
    [TestCase("whole")]
    [TestCase("unreadable")]
    [TestCase("gone")]
    public async Task Gone_on_with_in_another_folder_it_is_refused_and_both_files_stay(string old)
    {
        using var other = new BackupCase();
        await other.BackUpAsync("file", 10_000, 1);
        await m_case.InterruptAsync(m_case.Volumes, overwrite: true);
        var done = RecreateCase.Done(m_case.Beside);
        if (old != "whole")
            File.Delete(m_case.Database);
        if (old == "unreadable")
            File.WriteAllText(m_case.Database, "no database");
        m_old = old == "gone" ? "" : Digest();

        var refused = BackupCase.Refused(
            "RemoteFolderEmptyWithPrefix",
            () => m_case.RecreateAsync(change: x => x with { Remote = other.Remote })
        );
        Assert.That(refused.Message, Does.Contain(m_case.Database).And.Contain(other.Remote).And.Contain(Advice.OtherFolder()));
        Assert.That(RecreateCase.Done(old == "gone" ? m_case.Database : m_case.Beside), Is.EqualTo(done));
        if (old != "gone")
            Assert.That(Digest(), Is.EqualTo(m_old));
        Assert.That((await m_case.RecreateAsync()).Report.Kept, Is.EqualTo(done.Length));
    }

    [Test]
    public async Task With_the_option_it_begins_anew()
    {
        await m_case.InterruptAsync(m_case.Volumes, overwrite: true);
        var (report, fetched) = await m_case.RecreateAsync(overwrite: true);
        Assert.That(report.Kept, Is.Zero);
        Assert.That(fetched, Has.Length.EqualTo(m_case.Volumes));
        m_case.AssertComplete("replaced");

        File.Delete(m_case.Database);
        await m_case.InterruptAsync(m_case.Volumes);
        (report, _) = await m_case.RecreateAsync(overwrite: true);
        Assert.That(report.Kept, Is.Zero, "an unfinished one is replaced as well");
        m_case.AssertComplete("replaced");
    }

    [Test]
    public async Task A_damaged_database_is_replaced_with_all_that_belongs_to_it()
    {
        File.WriteAllText(m_case.Database, "this is no database, however long it may be; and there is more");
        File.WriteAllText(m_case.Database + "-wal", "nor is this a log");
        await m_case.RecreateAsync(overwrite: true);
        Assert.That(File.ReadAllText(m_case.Database + ".backup"), Does.StartWith("this is no database"), "kept");
        foreach (var kept in Directory.GetFiles(Path.GetDirectoryName(m_case.Database)!, Path.GetFileName(m_case.Database) + ".backup*"))
            File.Delete(kept);
        m_case.AssertComplete("replaced");
    }

    [Test]
    public void Where_blocks_are_missing_the_old_one_is_kept()
    {
        foreach (var volume in m_case.Backup.Volumes("dblock"))
            File.Delete(volume);
        BackupCase.Refused("DatabaseIsBrokenConsiderPurge", () => m_case.RecreateAsync(overwrite: true));
        Assert.That(Digest(m_case.Database + ".backup"), Is.EqualTo(m_old));
        Assert.That(m_case.Backup.Warnings.Texts, Has.One.Contains(m_case.Database + ".backup"));
        Assert.That(
            Assert.CatchAsync<UserInformationException>(() => m_case.RecreateAsync())!.HelpID,
            Is.EqualTo("RecreateTargetDatabaseExists"),
            "the recreate is finished"
        );
    }

    [Test]
    public void A_folder_without_a_backup_leaves_everything_as_it_is()
    {
        Directory.CreateDirectory(m_case.Backup.File("empty"));
        Assert.CatchAsync<UserInformationException>(() =>
            m_case.RecreateAsync(overwrite: true, x => x with { Remote = m_case.Backup.File("empty") })
        );
        Assert.That(Digest(), Is.EqualTo(m_old));
        Assert.That(File.Exists(m_case.Beside), Is.False);
    }

    private string Digest() => Digest(m_case.Database);

    private static string Digest(string path) => Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(path)));
}
