// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

/// <summary>A file that is read beside its log, and whose log goes away.</summary>
[TestFixture]
internal sealed class ReadOnlyFileTests
{
    [Test]
    public void A_log_that_its_last_user_takes_away_counts_as_a_change_though_the_file_stays_as_it_is()
    {
        using var folder = new TestFolder();
        var path = folder.File("backup.sqlite");
        Databases.Execute(path, "PRAGMA journal_mode = wal; CREATE TABLE a (b)");
        var user = Databases.Open(path);
        try
        {
            // Makes log and index, and writes nothing.
            Assert.That(Databases.Query(path, "SELECT COUNT(*) FROM a"), Is.EqualTo("0"));
            Assert.That(user.Scalar("SELECT COUNT(*) FROM a"), Is.EqualTo("0"));
            var before = File.GetLastWriteTimeUtc(path);
            using var file = ReadOnlyFile.Look(path);
            Assert.That((file.Way, file.IsLogGone(), file.HasChanged()), Is.EqualTo((ReadingWay.Log, false, false)));

            user.Dispose();

            Assert.That(File.GetLastWriteTimeUtc(path), Is.EqualTo(before));
            Assert.That((file.IsLogGone(), file.HasChanged()), Is.EqualTo((true, true)));
        }
        finally
        {
            user.Dispose();
        }
    }

    // Another program that looks for leftovers may come just before.
    [Test]
    public void A_private_copy_that_somebody_else_has_removed_is_no_error()
    {
        using var folder = new TestFolder();
        var path = folder.File("backup.sqlite");
        var killed = folder.File("killed.sqlite");
        Databases.Execute(path, "PRAGMA journal_mode = wal; CREATE TABLE a (b)");
        using (var user = Databases.Open(path))
        {
            user.Execute("INSERT INTO a VALUES (1)");
            File.Copy(path, killed);
            File.Copy(path + "-wal", killed + "-wal");
        }

        var file = ReadOnlyFile.Look(killed);
        Assert.That(file.Way, Is.EqualTo(ReadingWay.Copy));
        using (var connection = file.Open())
            Directory.Delete(Path.GetDirectoryName(connection.DataSource)!, recursive: true);

        Assert.DoesNotThrow(file.Dispose);
    }

    // Between the making of the file and its holding, or before.
    [TestCase(1)]
    [TestCase(2)]
    [Platform(Exclude = "Win")]
    public void A_folder_that_somebody_else_removes_while_it_is_made_is_made_again(int removedAt)
    {
        var steps = new List<string>();

        var (folder, mark) = ReadOnlyFile.MakeCopyFolder(made =>
        {
            steps.Add(made.FullName);
            if (steps.Count == removedAt)
                made.Delete(recursive: true);
        });

        using (mark)
        {
            Assert.That(File.Exists(Path.Combine(folder.FullName, ".in-use")));
            Assert.That(steps.Distinct().Count(), Is.EqualTo(2));
            Assert.That(steps[^1], Is.EqualTo(folder.FullName));
            folder.Delete(recursive: true);
        }
    }

    [Test]
    [Platform(Exclude = "Win")]
    public void A_folder_of_which_somebody_else_holds_the_file_is_left_to_him()
    {
        var steps = new List<string>();
        FileStream? other = null;

        var (folder, mark) = ReadOnlyFile.MakeCopyFolder(made =>
        {
            steps.Add(made.FullName);
            if (steps.Count == 1)
                other = new FileStream(Path.Combine(made.FullName, ".in-use"), FileMode.CreateNew, FileAccess.Write, FileShare.None);
        });

        using (other)
        using (mark)
        {
            Assert.That(steps[0], Is.Not.EqualTo(folder.FullName));
            Directory.Delete(steps[0], recursive: true);
            folder.Delete(recursive: true);
        }
    }

    [Test]
    public void Where_no_file_can_be_made_it_is_said_and_nothing_is_left()
    {
        var folders = new List<DirectoryInfo>();
        Assert.Throws<IOException>(() =>
            ReadOnlyFile.MakeCopyFolder(made =>
            {
                folders.Add(made);
                throw new IOException("No space left on device");
            })
        );
        Assert.That(folders.Select(x => Directory.Exists(x.FullName)), Is.EqualTo(new[] { false }));
    }
}
