// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Main.Repair;

public sealed class DuplicateRepairTests : RepairTestBase
{
    private static string[] Ids(LogCapture log) =>
        [.. log.Entries.Where(x => x.Level is not LogMessageType.Profiling).Select(x => $"{x.Level} {x.Id}")];

    [Test]
    [Contract("B 5.5 commits")]
    public async Task A_healthy_database_is_left_alone()
    {
        var volume = Data.Volume("v");
        var meta = Data.Metadata(Data.Blockset("meta", 5, Data.Block("m", 5, volume)));
        Data.Fileset(1000, Data.File("/a", Data.Blockset("empty", 0), meta), Data.File("/b", -100, meta));
        var db = Db;
        using var log = new LogCapture();

        await db.FixDuplicateMetahashAsync(None);
        await db.FixDuplicateFileentriesAsync(None);
        await db.FixDuplicatePathsInFilesetsAsync(None);
        await db.FixDuplicateBlocklistHashesAsync(64, 32, None);
        await db.FixMissingBlocklistHashesAsync("SHA256", 64, None);
        await db.FixEmptyMetadatasetsAsync(new Library.Main.Options([]), None);

        Assert.That(Ids(log), Is.Empty);
        Assert.That(Committed("SELECT Description FROM Operation"), Is.EqualTo(new[] { "Backup" }), "nothing was committed");
    }

    [Test]
    [Contract("B 5.5 FixDuplicateMetahashAsync")]
    [Contract("B 11.3 row 3")]
    public async Task Duplicate_metadata_is_merged_and_files_that_become_equal_with_it()
    {
        var (set, data, otherSet) = (Data.Blockset("meta", 5), Data.Blockset("data", 7), Data.Blockset("other", 6));
        var (first, other, second, third) = (Data.Metadata(set), Data.Metadata(otherSet), Data.Metadata(set), Data.Metadata(set));
        // The file with the highest metadata comes first, so that the lowest id is not the one with the metadata that stays.
        var (a3, a1, a2) = (Data.File("/a", data, third), Data.File("/a", data, first), Data.File("/a", data, second));
        var (b, c) = (Data.File("/b", data, second), Data.File("/a", data, other));
        Data.Fileset(1000, a1, b);
        Data.Fileset(2000, a2, a3, c);
        var db = Db;
        using var log = new LogCapture();

        await db.FixDuplicateMetahashAsync(None);

        Assert.That(Ids(log), Is.EqualTo(new[] { "Information DuplicateMetadataHashes", "Information DuplicateMetadataHashesFixed" }));
        Assert.That(Committed("SELECT ID, BlocksetID FROM Metadataset"), Is.EqualTo(new[] { $"{first}|{set}", $"{other}|{otherSet}" }));
        Assert.That(
            Committed("SELECT ID, Path, MetadataID FROM FileLookup"),
            Is.EqualTo(new[] { $"{a3}|a|{first}", $"{b}|b|{first}", $"{c}|a|{other}" })
        );
        Assert.That(
            Committed("SELECT FilesetID, FileID FROM FilesetEntry"),
            Is.EqualTo(new[] { $"1|{a3}", $"1|{b}", $"2|{a3}", $"2|{c}" })
        );
    }

    [Test]
    [Contract("B 11.2 DuplicateHashesRepairFailed")]
    public void Metadata_that_cannot_be_merged_is_an_error_and_nothing_is_committed()
    {
        var set = Data.Blockset("meta", 5);
        var (first, second) = (Data.Metadata(set), Data.Metadata(set));
        Data.Fileset(1000, Data.File("/a", -100, first), Data.File("/b", -100, second));
        Data.Insert("CREATE TRIGGER Keep BEFORE DELETE ON Metadataset BEGIN SELECT RAISE(IGNORE); END");

        Assert.That(async () => await Db.FixDuplicateMetahashAsync(None), Refused.HelpId("DuplicateHashesRepairFailed"));
        Assert.That(Committed("SELECT MetadataID FROM FileLookup"), Is.EqualTo(new[] { $"{first}", $"{second}" }));
    }

    [Test]
    [Contract("B 11.2 DuplicateFilesRepairFailed")]
    public void Files_that_cannot_be_merged_are_an_error_and_nothing_is_committed()
    {
        Data.Insert("DROP INDEX FileLookupPath");
        var meta = Data.Metadata(Data.Blockset("meta", 5));
        var (first, second) = (Data.File("/a", -100, meta), Data.File("/a", -100, meta));
        Data.Fileset(1000, first);
        Data.Fileset(2000, second);
        Data.Insert("CREATE TRIGGER Keep BEFORE DELETE ON FileLookup BEGIN SELECT RAISE(IGNORE); END");

        Assert.That(async () => await Db.FixDuplicateFileentriesAsync(None), Refused.HelpId("DuplicateFilesRepairFailed"));
        Assert.That(Committed("SELECT FileID FROM FilesetEntry"), Is.EqualTo(new[] { $"{first}", $"{second}" }));
    }

    [Test]
    [Contract("B 5.5 FixDuplicateMetahashAsync")]
    public async Task Duplicate_metadata_of_a_real_backup_is_merged_without_losing_an_entry()
    {
        using var folder = new TestFolder();
        var path = GoldenData.UnpackDatabase("i-md5-sha1", folder.Path);
        const string entries = """
            SELECT e.FilesetID, f.Path, f.BlocksetID, m.BlocksetID, e.Lastmodified
            FROM FilesetEntry e JOIN File f ON f.ID = e.FileID JOIN Metadataset m ON m.ID = f.MetadataID
            """;
        var before = SampleDatabase.Rows(path, entries);
        await using (var db = await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, None))
        {
            await db.FixDuplicateMetahashAsync(None);
            await db.VerifyConsistencyAsync(1024, 16, true, None);
        }

        Assert.That(
            SampleDatabase.Rows(path, "SELECT COUNT(*), COUNT(DISTINCT BlocksetID) FROM Metadataset"),
            Is.EqualTo(new[] { "178|178" })
        );
        Assert.That(SampleDatabase.Rows(path, entries), Is.EqualTo(before));
    }

    [Test]
    [Contract("B 5.5 FixDuplicateFileentriesAsync")]
    [Contract("B 10 Q14")]
    public async Task Duplicate_files_are_merged_and_their_entries_redirected()
    {
        Data.Insert("DROP INDEX FileLookupPath");
        var (first, second, other) = (Data.File("/a", 1, 1), Data.File("/a", 1, 1), Data.File("/a", 1, 2));
        Data.Fileset(1000, second, other);
        Data.Fileset(2000, first, second);
        var db = Db;
        using var log = new LogCapture();

        await db.FixDuplicateFileentriesAsync(None);

        Assert.That(Ids(log), Is.EqualTo(new[] { "Information DuplicateFileEntries", "Information DuplicateFileEntriesFixed" }));
        Assert.That(Committed("SELECT ID FROM FileLookup"), Is.EqualTo(new[] { $"{first}", $"{other}" }));
        Assert.That(
            Committed("SELECT FilesetID, FileID FROM FilesetEntry"),
            Is.EqualTo(new[] { $"1|{first}", $"1|{other}", $"2|{first}" })
        );
    }

    [Test]
    [Contract("B 5.5 FixDuplicatePathsInFilesetsAsync")]
    [Contract("B 7 row 14")]
    public async Task Random_duplicate_paths_are_removed_as_by_a_plain_statement()
    {
        var random = new Random(LongRun.Seed());
        // Some are split at another place.
        var prefix = Data.Insert("INSERT INTO PathPrefix (Prefix) VALUES ('/')");
        const string Split = "INSERT INTO FileLookup (PrefixID, Path, BlocksetID, MetadataID) VALUES (?1, ?2, ?3, 1)";
        var files = Enumerable
            .Range(0, 400)
            .Select(i => (Path: $"{random.Next(6)}/{random.Next(20)}", Blockset: (long)i))
            .Select(x => random.Next(4) == 0 ? Data.Insert(Split, prefix, x.Path, x.Blockset) : Data.File("/" + x.Path, x.Blockset, 1))
            .ToArray();
        for (var i = 0; i < 5; i++)
            Data.Fileset(1000 * (i + 1), [.. files.Where(_ => random.Next(3) == 0)]);
        var expected = Rows(
            "SELECT e.FilesetID, MAX(e.FileID) FROM FilesetEntry e JOIN File f ON f.ID = e.FileID GROUP BY e.FilesetID, f.Path"
        );
        var more = int.Parse(Rows("SELECT COUNT(*) FROM FilesetEntry")[0]) - expected.Count;
        using var log = new LogCapture();

        await Db.FixDuplicatePathsInFilesetsAsync(None);

        Assert.That(Ids(log), Is.EqualTo(new[] { "Information DuplicatePathsInFilesets", "Information DuplicatePathsInFilesetsFixed" }));
        Assert.That(Committed("SELECT FilesetID, FileID FROM FilesetEntry"), Is.EqualTo(expected.Order(StringComparer.Ordinal)));
        Assert.That(Committed("SELECT COUNT(*) FROM FileLookup"), Is.EqualTo(new[] { "400" }), "files stay for other filesets");
        Assert.That(log.WithId("DuplicatePathsInFilesets").Single().FormattedMessage, Does.StartWith($"Found {more} "));
    }

    [Test]
    [Contract("B 5.5 FixDuplicateBlocklistHashesAsync")]
    public async Task Duplicate_blocklists_are_removed()
    {
        FillBlocklists();
        var db = Db;
        using var log = new LogCapture();

        await db.FixDuplicateBlocklistHashesAsync(64, 32, None);

        Assert.That(
            Ids(log),
            Does.Contain("Information DuplicateBlocklistHashes").And.Contain("Information DuplicateBlocklistHashesRepaired")
        );
        Assert.That(Committed("SELECT \"Index\" FROM BlocklistHash"), Is.EqualTo(new[] { "0", "1" }));
    }

    [Test]
    [Contract("B 5.5 FixDuplicateBlocklistHashesAsync")]
    [Contract("B 11.2 DuplicateBlocklistHashesRepairFailed")]
    public void Duplicate_blocklists_in_a_database_that_is_inconsistent_otherwise_are_an_error()
    {
        FillBlocklists();
        Data.Insert("DELETE FROM BlocklistHash WHERE \"Index\" = 1");

        var ex = Assert.ThrowsAsync<UserInformationException>(() => Db.FixDuplicateBlocklistHashesAsync(64, 32, None));

        Assert.That(ex!.HelpID, Is.EqualTo("DuplicateBlocklistHashesRepairFailed"));
        Assert.That(ex.InnerException, Is.InstanceOf<DatabaseInconsistencyException>());
        Assert.That(Committed("SELECT COUNT(*) FROM BlocklistHash"), Is.EqualTo(new[] { "2" }), "nothing was committed");
    }

    // A file of three blocks, two hashes in a blocklist, the first blocklist twice.
    private void FillBlocklists()
    {
        Data.Insert("DROP INDEX BlocklistHashBlocksetIDIndex");
        var volume = Data.Volume("v");
        var set = Data.Blockset("file", 129, Data.Block("a", 64, volume), Data.Block("b", 64, volume), Data.Block("c", 1, volume));
        Data.Block("list0", 64, volume);
        Data.Block("list1", 32, volume);
        Data.Blocklist(set, 0, "list0");
        Data.Blocklist(set, 1, "list1");
        Data.Blocklist(set, 0, "list0");
        Data.Fileset(1000, Data.File("/a", set, Data.Metadata(Data.Blockset("meta", 5, Data.Block("m", 5, volume)))));
    }
}
