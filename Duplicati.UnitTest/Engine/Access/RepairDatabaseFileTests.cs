// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Repair;
using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Engine.Access;

/// <summary>A database that is put aside keeps what is in its log only, wherever that ends.</summary>
[TestFixture]
internal sealed class RepairDatabaseFileTests : FolderTestBase
{
    [Test]
    public void Interrupted_before_any_step_a_database_has_its_log_under_each_of_its_names(
        [Values] bool isPutBack,
        [Values(1, 2, 3, 4)] int step
    )
    {
        var (path, aside) = (Folder.File("backup.sqlite"), Folder.File("backup.sqlite.backup"));
        MakeWithLog(isPutBack ? aside : path);
        using (new FileSteps((_, _) => step = Count(step)).OfAll())
            Assert.Throws<IOException>(() => Move(path, aside, isPutBack));

        var names = new[] { path, aside }.Where(File.Exists).ToList();
        Assert.That(names, Has.Count.EqualTo(1));
        foreach (var name in names)
            Assert.That(Rows(name), Is.EqualTo(1), name);
        // What the next recreate does first where no database is.
        if (!File.Exists(path))
            RepairDatabaseFile.Remove(path);
        Assert.That(Rows(names[0]), Is.EqualTo(1), "after what comes next");
    }

    [Test]
    public void Uninterrupted_all_of_it_has_the_other_name([Values] bool isPutBack)
    {
        var (path, aside) = (Folder.File("backup.sqlite"), Folder.File("backup.sqlite.backup"));
        var (from, to) = isPutBack ? (aside, path) : (path, aside);
        MakeWithLog(from);
        Move(path, aside, isPutBack);
        var name = Path.GetFileName(to);
        Assert.That(Folder.Files(), Is.EqualTo(new[] { name, name + "-shm", name + "-wal" }));
        Assert.That(Rows(to), Is.EqualTo(1));
    }

    [Test]
    public void No_log_is_left_beside_a_database_that_somebody_has_made_meanwhile()
    {
        var (path, aside) = (Folder.File("backup.sqlite"), Folder.File("backup.sqlite.backup"));
        MakeWithLog(aside);
        var other = Folder.File("other.sqlite");
        Databases.Execute(other, """CREATE TABLE "T" ("X")""");
        var steps = new FileSteps(
            (step, to) =>
            {
                if (step == FileSteps.Name && to == path)
                    File.Copy(other, path);
            }
        );
        using (steps.OfAll())
            Assert.Throws<IOException>(() => RepairDatabaseFile.PutBack(aside, path));

        Assert.That((Rows(path), Rows(aside)), Is.EqualTo((0, 1)));
    }

    // A program that knows no turns has begun and ended meanwhile, or is at work.
    [Test]
    public void A_database_that_somebody_has_written_to_is_not_replaced([Values] bool isKept, [Values] bool isAtWork)
    {
        var (path, made) = (Folder.File("backup.sqlite"), Folder.File("made.sqlite"));
        foreach (var name in new[] { path, made })
            Databases.Execute(name, """PRAGMA journal_mode = WAL; CREATE TABLE "T" ("X")""");
        Assert.That(RepairDatabaseFile.EmptyLog(path), Is.True);
        var state = RepairDatabaseFile.State(path);
        using (var other = Databases.Open(path))
        {
            other.Execute("""INSERT INTO "T" VALUES (1)""");
            if (isAtWork)
                AssertRefused();
        }

        AssertRefused();
        Assert.That(Rows(path), Is.EqualTo(1));
        Assert.That(Folder.Files(), Is.EquivalentTo(new[] { "backup.sqlite", "made.sqlite" }));

        void AssertRefused()
        {
            var refused = Assert.Throws<UserInformationException>(() => RepairDatabaseFile.Replace(path, made, state, isKept))!;
            Assert.That(refused.HelpID, Is.EqualTo("DatabaseIsBusy"));
        }
    }

    // It is copied table by table.
    [Test]
    public void Nobody_commits_to_a_database_while_it_is_written_again([Values("wal", "delete")] string mode)
    {
        var path = Folder.File("backup.sqlite");
        Databases.Execute(path, $"""PRAGMA journal_mode = {mode}; CREATE TABLE "T" ("X")""");
        var tries = 0;
        var steps = new FileSteps(
            (step, file) =>
            {
                if (step != FileSteps.File || file != path + DatabaseRewrite.BESIDE)
                    return;
                tries++;
                using var other = Databases.Open(path);
                other.DefaultTimeout = 1;
                Assert.That(
                    () => other.Execute("""INSERT INTO "T" VALUES (1)"""),
                    Throws.InstanceOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(raw.SQLITE_BUSY)
                );
            }
        );
        using (steps.OfAll())
            Assert.That(DatabaseRewrite.Run(path, [], default), Is.Not.Null);

        Assert.That(tries, Is.EqualTo(1));
        Assert.That(Folder.Files(), Is.EquivalentTo(new[] { "backup.sqlite", "backup.sqlite.backup" }));
        Assert.That(Databases.Query(path + ".backup", "PRAGMA journal_mode"), Is.EqualTo(mode), "as it was");
    }

    private static int Count(int step) => step > 1 ? step - 1 : throw new IOException("killed here");

    private static void Move(string path, string aside, bool isPutBack)
    {
        if (isPutBack)
            RepairDatabaseFile.PutBack(aside, path);
        else
            Assert.That(RepairDatabaseFile.PutAside(path), Is.EqualTo(aside));
    }

    // One row, in the log only.
    private static void MakeWithLog(string path)
    {
        using var made = new TestFolder();
        using var connection = Databases.Open(made.File("made"));
        connection.Execute(
            """CREATE TABLE "T" ("X"); PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; INSERT INTO "T" VALUES (1)"""
        );
        foreach (var suffix in new[] { "", "-wal", "-shm" })
            File.Copy(made.File("made") + suffix, path + suffix);
    }

    // Of a copy: whoever opens the file itself empties its log.
    private static int Rows(string path)
    {
        using var read = new TestFolder();
        Databases.CopyKilled(path, read.File("copy"));
        return int.Parse(
            Databases.Query(read.File("copy"), """SELECT COUNT(*) FROM "T" """)!,
            System.Globalization.CultureInfo.InvariantCulture
        );
    }
}
