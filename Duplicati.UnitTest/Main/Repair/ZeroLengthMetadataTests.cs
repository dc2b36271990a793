// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Repair;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Main.Repair;

public sealed class ZeroLengthMetadataTests : RepairTestBase
{
    private static readonly Options s_options = new([]);

    private long AddEmptyMetadataBlockset()
    {
        var empty = EmptyMetadata.Of(s_options.FileHashAlgorithm);
        var block = Data.Block("empty", empty.Length, Data.Volume("v"));
        var set = Data.Insert("INSERT INTO Blockset (Length, FullHash) VALUES (?1, ?2)", empty.Length, empty.FullHash);
        Data.Insert("""INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID) VALUES (?1, 0, ?2)""", set, block);
        return set;
    }

    [TestCase("MD5", 16)]
    [TestCase("SHA1", 20)]
    [TestCase("SHA256", 32)]
    [TestCase("SHA384", 48)]
    [TestCase("sha512", 64)]
    public void Hash_functions_are_made_by_name(string name, int bytes)
    {
        using var hasher = Digest.Create(name);
        Assert.That(hasher.HashSize / 8, Is.EqualTo(bytes));
    }

    [Test]
    public void An_unknown_hash_function_is_refused() => Assert.That(() => Digest.Create("CRC"), Throws.ArgumentException);

    [Test]
    public void Empty_metadata_is_a_byte_order_mark_and_an_empty_object()
    {
        byte[] blob = [0xEF, 0xBB, 0xBF, (byte)'{', (byte)'}'];
        Assert.That(
            EmptyMetadata.Of("SHA256"),
            Is.EqualTo(new EmptyMetadata(Convert.ToBase64String(System.Security.Cryptography.SHA256.HashData(blob)), blob.Length))
        );
    }

    [Test]
    [Contract("B 5.5 FixEmptyMetadatasetsAsync")]
    [Contract("B 7 row 1")]
    public async Task It_is_replaced_by_empty_metadata_and_files_that_become_equal_are_merged()
    {
        var (zero, empty) = (Data.Blockset("zero", 0), AddEmptyMetadataBlockset());
        var (bad, good) = (Data.Metadata(zero), Data.Metadata(empty));
        var (a1, a2, b) = (Data.File("/a", -100, good), Data.File("/a", -100, bad), Data.File("/b", -100, bad));
        Data.Fileset(1000, a1);
        Data.Fileset(2000, a2, b);
        var db = Db;
        using var log = new LogCapture();

        await db.FixEmptyMetadatasetsAsync(s_options, None);

        Assert.That(
            log.Entries.Where(x => x.Level == Library.Logging.LogMessageType.Information).Select(x => x.Id),
            Is.EqualTo(new[] { "ZeroLengthMetadata", "ZeroLengthMetadataRepaired" })
        );
        Assert.That(Committed("SELECT ID, BlocksetID FROM Metadataset"), Is.EqualTo(new[] { $"{good}|{empty}" }));
        Assert.That(Committed("SELECT ID FROM Blockset"), Is.EqualTo(new[] { $"{empty}" }));
        Assert.That(Committed("SELECT FilesetID, FileID FROM FilesetEntry"), Is.EqualTo(new[] { $"1|{a1}", $"2|{a1}", $"2|{b}" }));
        Assert.That(Committed("SELECT MetadataID FROM FileLookup"), Is.EqualTo(new[] { $"{good}", $"{good}" }));
    }

    [Test]
    [Contract("B 11.2 MetadataRepairFailed")]
    public void Metadata_that_cannot_be_replaced_is_an_error_and_nothing_is_committed()
    {
        var (zero, empty) = (Data.Blockset("zero", 0), AddEmptyMetadataBlockset());
        var (bad, _) = (Data.Metadata(zero), Data.Metadata(empty));
        Data.Fileset(1000, Data.File("/a", -100, bad));
        Data.Insert("CREATE TRIGGER Keep BEFORE DELETE ON Metadataset BEGIN SELECT RAISE(IGNORE); END");

        Assert.That(async () => await Db.FixEmptyMetadatasetsAsync(s_options, None), Refused.HelpId("MetadataRepairFailed"));
        Assert.That(Committed("SELECT MetadataID FROM FileLookup"), Is.EqualTo(new[] { $"{bad}" }));
    }

    [Test]
    public async Task A_blockset_that_an_empty_file_uses_stays()
    {
        var zero = Data.Blockset("zero", 0);
        var bad = Data.Metadata(zero);
        var set = AddEmptyMetadataBlockset();
        Data.Fileset(1000, Data.File("/a", zero, bad));

        await Db.FixEmptyMetadatasetsAsync(s_options, None);

        Assert.That(Committed("SELECT ID FROM Blockset WHERE Length = 0"), Is.EqualTo(new[] { $"{zero}" }));
        Assert.That(
            Committed("SELECT BlocksetID FROM Metadataset"),
            Is.EqualTo(new[] { $"{set}" }),
            "metadata was made of the known content"
        );
    }

    [Test]
    [Contract("B 5.5 FixEmptyMetadatasetsAsync")]
    [Contract("B 11.2 FailedToLocateEmptyMetadataBlockset")]
    public void Without_any_metadata_with_content_it_is_an_error()
    {
        Data.Fileset(1000, Data.File("/a", -100, Data.Metadata(Data.Blockset("zero", 0))));

        Assert.That(() => Db.FixEmptyMetadatasetsAsync(s_options, None), Refused.HelpId("FailedToLocateEmptyMetadataBlockset"));
        Assert.That(Committed("SELECT COUNT(*) FROM Metadataset"), Is.EqualTo(new[] { "1" }));
    }

    [Test]
    public async Task In_a_real_backup_the_shortest_metadata_takes_its_place_and_the_database_is_consistent()
    {
        using var folder = new TestFolder();
        var path = GoldenData.UnpackDatabase("a-plain-1k", folder.Path);
        const string entries = "SELECT e.FilesetID, f.Path, f.BlocksetID FROM FilesetEntry e JOIN File f ON f.ID = e.FileID";
        var before = SampleDatabase.Rows(path, entries);
        await using (var db = await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, None))
        {
            db.Connection.Execute("UPDATE Metadataset SET BlocksetID = (SELECT ID FROM Blockset WHERE Length = 0) WHERE ID IN (3, 5, 8)");
            await db.FixDuplicateMetahashAsync(None);
            await db.FixEmptyMetadatasetsAsync(s_options, None);
            await db.VerifyConsistencyAsync(1024, 32, true, None);
        }

        Assert.That(
            SampleDatabase.Rows(path, "SELECT * FROM Metadataset m JOIN Blockset b ON b.ID = m.BlocksetID WHERE b.Length = 0"),
            Is.Empty
        );
        Assert.That(SampleDatabase.Rows(path, entries), Is.EqualTo(before));
    }
}
