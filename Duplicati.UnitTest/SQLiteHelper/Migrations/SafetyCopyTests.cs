// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Migrations;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

[TestFixture]
public sealed class SafetyCopyTests : FolderTestBase
{
    private const int NEWEST = 19;

    private string m_path = null!;

    [SetUp]
    public void CreateDatabase()
    {
        m_path = Folder.File("my db.sqlite");
        Databases.Upgrade(m_path);
    }

    [Test]
    [Contract("A 3.3 step 6 copy")]
    public void Copy_lies_beside_the_database_and_has_the_time_in_its_name()
    {
        var copy = SafetyCopy.Make(m_path, NEWEST);
        Assert.That(Path.GetDirectoryName(copy), Is.EqualTo(Folder.Path));
        Assert.That(Path.GetFileName(copy), Does.Match(@"^backup my db \d{14}\.sqlite$"));
    }

    [Test]
    [Contract("A 13 Q13")]
    public void Copy_holds_rows_that_are_only_in_the_write_ahead_log()
    {
        using var connection = Databases.Open(m_path);
        connection.Execute(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; INSERT INTO Configuration VALUES ('only', 'in the log')"
        );
        var copy = SafetyCopy.Make(m_path, NEWEST);
        Assert.That(Databases.Query(copy, "SELECT Value FROM Configuration WHERE Key = 'only'"), Is.EqualTo("in the log"));
        Assert.That(Folder.Files().Count(x => x.StartsWith("backup", StringComparison.Ordinal)), Is.EqualTo(1), "nothing beside the copy");
    }

    [Test]
    public void Copy_is_flushed_before_it_has_its_name_and_its_name_before_the_database_changes()
    {
        using var steps = new FileSteps().OfAll();
        SafetyCopy.Make(m_path, NEWEST);
        Assert.That(steps.Done, Is.EqualTo(new[] { FileSteps.File, FileSteps.Name, FileSteps.Folder }));
    }

    [Test]
    public void Copy_is_made_while_the_caller_holds_the_write_lock([Values("WAL", "DELETE")] string journal)
    {
        using var connection = Databases.Open(m_path);
        connection.Execute($"PRAGMA journal_mode = {journal}");
        using var transaction = connection.BeginTransaction();
        Assert.That(Databases.VersionOf(SafetyCopy.Make(m_path, NEWEST)), Is.EqualTo(NEWEST));
    }

    [Test]
    [Contract("A 3.3 step 6 copy")]
    public void Earlier_copy_is_not_overwritten()
    {
        var taken = TakeNames(seconds: 5);
        var copy = SafetyCopy.Make(m_path, NEWEST);
        Assert.That(taken, Does.Not.Contain(copy));
        Assert.That(taken.Select(File.ReadAllText), Is.All.EqualTo("taken"));
    }

    [Test]
    public void Without_a_free_name_nothing_is_left_behind()
    {
        TakeNames(seconds: 120);
        var before = Folder.Files();
        Assert.That(() => SafetyCopy.Make(m_path, NEWEST), Throws.InstanceOf<IOException>());
        Assert.That(Folder.Files(), Is.EqualTo(before));
    }

    [Test]
    public void Copy_of_another_version_than_told_is_not_kept()
    {
        Assert.That(() => SafetyCopy.Make(m_path, NEWEST - 1), Throws.InstanceOf<IOException>());
        Assert.That(Folder.Files(), Is.EqualTo(["my db.sqlite"]));
    }

    [Test]
    public void Copy_whose_name_cannot_be_flushed_is_not_kept()
    {
        using var steps = FileSteps.RefusingFolders().OfAll();
        Assert.That(() => SafetyCopy.Make(m_path, NEWEST), Throws.InstanceOf<IOException>());
        Assert.That(steps.Done, Does.Contain(FileSteps.Name));
        Assert.That(Folder.Files(), Is.EqualTo(["my db.sqlite"]));
    }

    [Test]
    public void Copy_of_a_damaged_database_is_not_kept()
    {
        Databases.Execute(
            m_path,
            """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO Block SELECT i, 'hash' || i, i, 1 FROM n"""
        );
        using (var file = new FileStream(m_path, FileMode.Open, FileAccess.Write))
        {
            file.Position = file.Length / 2;
            file.Write(new byte[8192]);
        }
        Assert.That(
            () => SafetyCopy.Make(m_path, NEWEST),
            Throws.InstanceOf<IOException>().Or.TypeOf<Microsoft.Data.Sqlite.SqliteException>()
        );
        Assert.That(Folder.Files(), Is.EqualTo(["my db.sqlite"]));
    }

    [Test]
    public void Copy_that_a_killed_upgrade_left_unfinished_is_removed_and_nothing_else()
    {
        const string UNIQUE = "0123456789abcdef0123456789abcdef";
        string[] others =
        [
            "backup my db.sqlite",
            "backup other 1.sqlite.incomplete",
            "backup my db 20200101000000.sqlite",
            $"backup my db of another {UNIQUE}.sqlite.incomplete",
        ];
        string[] left = [$"backup my db {UNIQUE}.sqlite.incomplete", $"backup my db {UNIQUE}.sqlite.incomplete-journal"];
        foreach (var name in others.Concat(left))
            File.WriteAllText(Folder.File(name), "x");
        var copy = SafetyCopy.Make(m_path, NEWEST);
        Assert.That(Folder.Files(), Is.EquivalentTo([.. others, "my db.sqlite", Path.GetFileName(copy)]));
    }

    [Test]
    [Platform(Exclude = "Win", Reason = "Windows has no file modes")]
    [System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
    public void Copy_is_as_private_as_the_database()
    {
        const UnixFileMode MODE = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        File.SetUnixFileMode(m_path, MODE);
        Assert.That(File.GetUnixFileMode(SafetyCopy.Make(m_path, NEWEST)), Is.EqualTo(MODE));
    }

    private List<string> TakeNames(int seconds)
    {
        var now = DateTime.Now;
        var names = Enumerable
            .Range(-1, seconds + 1)
            .Select(x => Folder.File($"backup my db {now.AddSeconds(x):yyyyMMddHHmmss}.sqlite"))
            .ToList();
        names.ForEach(x => File.WriteAllText(x, "taken"));
        return names;
    }
}
