// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class FileListTests : LocalDatabaseTestBase
{
    private void FillTwoFiles() =>
        Execute(
            """
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (1, 'a', 10, 1), (2, 'b', 5, 1), (3, 'm', 7, 1), (4, 'n', 3, 1);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (1, 15, 'file'), (2, 7, 'm'), (3, 0, 'empty'), (4, 10, 'meta');
            INSERT INTO BlocksetEntry VALUES (1, 0, 1), (1, 1, 2), (2, 0, 3), (4, 0, 3), (4, 1, 4);
            INSERT INTO BlocklistHash VALUES (1, 1, 'l2'), (1, 0, 'l1'), (4, 0, 'x1'), (4, 1, 'x2');
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 2), (2, 4);
            INSERT INTO PathPrefix VALUES (1, '/'), (2, '/d/');
            INSERT INTO FileLookup VALUES (1, 2, 'f', 1, 1), (2, 1, 'e', 3, 2), (3, 1, 'd/', -100, 2), (4, 2, 'link', -200, 1);
            INSERT INTO FilesetEntry VALUES (1, 1, 10000000), (1, 2, 20000000), (1, 3, 0), (1, 4, 0);
            """
        );

    private async Task<List<string>> Write()
    {
        var writer = new RecordingFilesetWriter();
        await Db.WriteFilesetAsync(writer, 1, default);
        return writer.Lines;
    }

    [Test]
    [Contract("A 6.9 order")]
    [Contract("A 6.9 files")]
    [Contract("A 13 Q11")]
    public async Task Folders_and_links_come_first_by_path_then_files_by_path_with_all_their_blocklists()
    {
        FillTwoFiles();

        Assert.That(
            await Write(),
            Is.EqualTo(
                new[]
                {
                    "Folder|/d/||-1||meta/10/x1,x2|",
                    "Symlink|/d/link||-1||m/7/|",
                    "File|/d/f|file|15|00010101T000001Z|m/7/|l1,l2",
                    "File|/e|empty|0|00010101T000002Z|meta/10/x1,x2|",
                }
            )
        );
    }

    [TestCase("DELETE FROM BlocksetEntry WHERE BlocksetID = 2 AND \"Index\" = 0")]
    [TestCase("DELETE FROM Metadataset WHERE ID = 1")]
    [TestCase("DELETE FROM Blockset WHERE ID = 2")]
    [TestCase("DELETE FROM Block WHERE ID = 3; UPDATE BlocksetEntry SET BlockID = 4 WHERE BlocksetID = 4")]
    [Contract("A 6.9 folders and links")]
    public async Task A_link_without_metadata_is_left_out(string damage)
    {
        FillTwoFiles();
        Execute("UPDATE FileLookup SET MetadataID = 2 WHERE ID = 1");
        Execute(damage);

        Assert.That((await Write()).Select(x => x.Split('|')[1]), Is.EqualTo(new[] { "/d/", "/d/f", "/e" }));
    }

    [Test]
    [Contract("A 6.9 null metadata hash")]
    public void A_file_without_metadata_is_refused_by_the_writer()
    {
        FillTwoFiles();
        Execute("DELETE FROM Metadataset WHERE ID = 2; DELETE FROM FilesetEntry WHERE FileID = 3");

        Assert.That(Write, Throws.ArgumentNullException);
    }

    [Test]
    [Contract("A 6.9 DuplicatePathInFileset")]
    public async Task A_path_that_is_there_twice_is_written_once_with_a_warning()
    {
        FillTwoFiles();
        Execute("INSERT INTO FileLookup VALUES (5, 2, 'f', 3, 1); INSERT INTO FilesetEntry VALUES (1, 5, 0)");
        using var log = new LogCapture();

        var lines = await Write();

        Assert.That(lines.Count(x => x.StartsWith("File|/d/f|", StringComparison.Ordinal)), Is.EqualTo(1));
        Assert.That(log.WarningsAndErrors.Select(x => x.Id), Is.EqualTo(new[] { "DuplicatePathInFileset" }));
    }

    [Test]
    [Contract("A 6.9 DuplicatePathFound")]
    public async Task A_folder_that_is_there_twice_is_written_twice_with_a_warning()
    {
        FillTwoFiles();
        Execute("INSERT INTO FileLookup VALUES (5, 1, 'd/', -100, 1); INSERT INTO FilesetEntry VALUES (1, 5, 0)");
        using var log = new LogCapture();

        Assert.That((await Write()).Count(x => x.StartsWith("Folder|/d/|", StringComparison.Ordinal)), Is.EqualTo(2));
        Assert.That(log.WarningsAndErrors.Select(x => x.Id), Is.EqualTo(new[] { "DuplicatePathFound" }));
    }

    [Test]
    [Contract("A 1.4 WriteFilesetAsync streams")]
    public async Task The_database_can_be_used_committed_and_changed_while_the_writer_works()
    {
        FillTwoFiles();
        for (var i = 10; i < 2000; i++)
            Execute($"INSERT INTO FileLookup VALUES ({i}, 1, 'x{i:D5}', 3, 1); INSERT INTO FilesetEntry VALUES (1, {i}, 0)");
        var count = 0;
        var writer = new RecordingFilesetWriter
        {
            OnFile = async _ =>
            {
                if (count++ % 100 == 0)
                    await Task.Run(() => Db.GetOrCreatePathPrefixAsync($"/{count}/", default));
                if (count % 500 == 0)
                    await Db.Transaction.CommitAsync(default);
            },
        };

        await Db.WriteFilesetAsync(writer, 1, default);

        Assert.That(writer.Lines, Has.Count.EqualTo(1994));
        Assert.That(writer.Lines.Skip(4), Is.Ordered.Using((IComparer<string>)StringComparer.Ordinal));
    }

    [Test]
    [Contract("A 6.9 row sets")]
    public async Task The_public_lists_give_one_row_for_each_blocklist()
    {
        FillTwoFiles();
        var files = await Count(LocalDatabase.LIST_FILESETS);
        var folders = await Count(LocalDatabase.LIST_FOLDERS_AND_SYMLINKS);

        Assert.That((files, folders), Is.EqualTo((4L, 3L)));
    }

    private Task<long> Count(string list) =>
        Db.Session.LongAsync(
            session =>
            {
                using var select = session.Statements.Prepare($"SELECT COUNT(*) FROM ({list})");
                if (list.Contains("@Folder", StringComparison.Ordinal))
                    select.Bind(2, LocalDatabase.FOLDER_BLOCKSET_ID).Bind(3, LocalDatabase.SYMLINK_BLOCKSET_ID);
                return select.Bind(1, 1).ExecuteInt64();
            },
            default
        );

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.SetsWithPlainLists))]
    public async Task A_real_list_volume_is_reproduced_entry_by_entry(string set)
    {
        using var folder = new TestFolder();
        using var db = await LocalDatabase.CreateLocalDatabaseAsync(
            GoldenData.UnpackDatabase(set, folder.Path),
            "Test",
            true,
            null,
            default
        );
        GoldenData.CopyRemote(set, folder.File("remote"));
        var compared = 0;
        foreach (var (fileset, _) in await ListAsync(db.FilesetTimesAsync(default)))
        {
            var volume = Path.Combine(folder.File("remote"), (await db.GetRemoteVolumeFromFilesetIDAsync(fileset, default)).Name);
            if (!volume.EndsWith(".zip", StringComparison.Ordinal) || !File.Exists(volume))
                continue;

            var writer = new RecordingFilesetWriter();
            await db.WriteFilesetAsync(writer, fileset, default);
            // The releases behind these two sets wrote files in another order.
            var inOrder = !set.StartsWith('x');
            Assert.That(
                writer.Lines,
                inOrder ? Is.EqualTo(RecordingFilesetWriter.Read(volume)) : Is.EquivalentTo(RecordingFilesetWriter.Read(volume)),
                volume
            );
            compared++;
        }

        Assert.That(compared, Is.Positive);
    }
}
