// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Recreate;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>
/// The sequences of a repair, with the objects nested as the handler nests them, on real backups that rows were taken out of.
/// </summary>
[TestFixture("a-plain-1k", "SHA256", "SHA256")]
[TestFixture("c-plain-10k-1mb", "SHA256", "SHA256")]
[TestFixture("i-md5-sha1", "MD5", "SHA1")]
[TestFixture("i-sha512", "SHA512", "SHA512")]
internal sealed class BRepairFlowTests(string set, string blockAlgorithm, string fileAlgorithm) : FolderTestBase
{
    private string m_path = null!;
    private VolumeFormat m_format = null!;

    private string Remote => Folder.File("remote");

    [SetUp]
    public void Create()
    {
        GoldenData.CopyRemote(set, Remote);
        m_path = GoldenData.UnpackDatabase(set, Folder.Path);
        var list = Directory.GetFiles(Remote, "*.dlist.*")[0];
        using var reader = FilelistReader.Open(File.OpenRead(list), list);
        m_format = new VolumeFormat().Adopt(reader.Manifest, list);
        Assert.That((m_format.BlockHash.Name, m_format.FileHash.Name), Is.EqualTo((blockAlgorithm, fileAlgorithm)));
    }

    [Test]
    [Contract("B 7 row 1")]
    [Contract("B 5.2 GetFilesetsWithMissingFilesAsync")]
    [Contract("B 5.2 DeleteFilesetEntriesAsync")]
    [Contract("B 6 RunRepairCommonAsync")]
    [Contract("B 6 RunRepairBrokenFilesetsAsync")]
    public async Task Lost_files_come_back_from_the_lists([Values] bool all)
    {
        // The real program doubles metadata where files and blocks are hashed differently (A Q3).
        Assert.That(await RepairCommonAsync(), blockAlgorithm == fileAlgorithm ? Is.Zero : Is.Positive);
        var before = DatabaseDump.Load(m_path);
        Databases.Execute(m_path, all ? "DELETE FROM FileLookup" : "DELETE FROM FileLookup WHERE ID % 3 = 0");
        using var log = new LogCapture();
        Assert.That(await RepairCommonAsync(), Is.Zero, "nothing to fix, nothing written");

        await using (var db = await OpenAsync())
        {
            var broken = await db.GetFilesetsWithMissingFilesAsync(default).ToListAsync();
            Assert.That(broken, Has.Count.EqualTo(Directory.GetFiles(Remote, "*.dlist.*").Length));
            Assert.That(broken.Select(x => x.Value.Kind), Is.All.EqualTo(DateTimeKind.Local));
            foreach (var (fileset, _) in broken)
            {
                var volume = await db.GetRemoteVolumeFromFilesetIDAsync(fileset, default);
                Assert.That(await db.DeleteFilesetEntriesAsync(fileset, default), Is.Positive);
                await LoadAsync(db, volume.Name, fileset);
                await db.Transaction.CommitAsync("PostRepairFileset", true, default);
            }
        }

        Assert.That(log.WarningsAndErrors, Is.Empty);
        await AssertRepairedAsync(before);
    }

    [Test]
    [Contract("B 7 row 1")]
    [Contract("B 5.2 MissingLocalFilesetsAsync")]
    [Contract("B 5.2 MissingRemoteFilesetsAsync")]
    [Contract("B 6 step 8")]
    public async Task A_lost_fileset_comes_back_from_its_list()
    {
        var before = DatabaseDump.Load(m_path);
        Databases.Execute(
            m_path,
            "DELETE FROM FilesetEntry WHERE FilesetID = (SELECT MIN(ID) FROM Fileset); DELETE FROM Fileset WHERE ID = (SELECT MIN(ID) FROM Fileset)"
        );
        await using (var db = await OpenAsync())
        {
            Assert.That(await db.MissingRemoteFilesetsAsync(default).CountAsync(), Is.Zero);
            // The handler writes and makes children while it reads the names.
            await foreach (var name in db.MissingLocalFilesetsAsync(default))
            {
                var volume = await db.GetRemoteVolumeIDAsync(name, default);
                var fileset = await db.CreateFilesetAsync(volume, VolumeName.Parse(name)!.Time, default);
                await LoadAsync(db, name, fileset);
                await db.Transaction.CommitAsync("CommitRecreateFilesetTransaction", true, default);
            }

            await db.TerminatedWithActiveUploadsAsync(default, false);
            Assert.That(await db.MissingLocalFilesetsAsync(default).CountAsync(), Is.Zero);
        }

        await AssertRepairedAsync(before);
    }

    [Test]
    [Contract("B 5.3 CheckAllBlocksAreInVolumeAsync")]
    [Contract("B 5.3 CheckBlocklistCorrectAsync")]
    [Contract("B 6 step 5")]
    [Contract("B 7 row 2")]
    public async Task Extra_index_files_are_checked_registered_and_linked()
    {
        var before = DatabaseDump.Load(m_path);
        Databases.Execute(m_path, "DELETE FROM IndexBlockLink; DELETE FROM Remotevolume WHERE Type = 'Index'");
        await using (var db = await OpenAsync())
        {
            foreach (var file in Directory.GetFiles(Remote, "*.dindex.*"))
                await AdoptAsync(db, file);
            await db.CommitAsync(default);
            Assert.That(await db.EmptyIndexFilesAsync(default).CountAsync(), Is.Zero);
        }

        await AssertRepairedAsync(before);
    }

    [Test]
    [Contract("B 5.2 GetBlockVolumesFromIndexNameAsync")]
    [Contract("B 6 step 12")]
    [Contract("B 7 row 2")]
    public async Task A_new_index_file_has_what_the_old_one_had()
    {
        await using var db = await OpenAsync();
        foreach (var file in Directory.GetFiles(Remote, "*.dindex.*"))
        {
            using var old = IndexVolumeReader.Open(File.OpenRead(file), file);
            var volumes = old.ReadVolumes().ToDictionary(x => x.Name.FileName, x => x.ReadBlocks().ToHashSet());
            var lists = old.ReadBlocklists().ToDictionary(x => x.Hash, x => Convert.ToBase64String(x.Digests.Span));
            await foreach (var volume in db.GetBlockVolumesFromIndexNameAsync(Path.GetFileName(file), default))
            {
                var id = await db.GetRemoteVolumeIDAsync(volume.Name, default);
                var blocks = await db.GetBlocksAsync(id, default).Select(x => KeyValuePair.Create(x.Hash, x.Size)).ToListAsync();
                Assert.That(volumes.Remove(volume.Name, out var expected));
                Assert.That(blocks, Is.EquivalentTo(expected!));
                var made = new Dictionary<string, string>();
                await foreach (
                    var (hash, buffer, size) in db.GetBlocklistsAsync(id, m_format.Blocksize, m_format.BlockHash.DigestSize, default)
                )
                {
                    Assert.That(m_format.BlockHash.HashToBase64(buffer.AsSpan(0, size)), Is.EqualTo(hash));
                    made.Add(hash, Convert.ToBase64String(buffer, 0, size));
                }

                // A program that builds two volumes at a time may put a blocklist into the index of the other one too.
                Assert.That(made, Is.EquivalentTo(lists.Where(x => blocks.Exists(y => y.Key == x.Key))));
            }

            Assert.That(volumes, Is.Empty);
        }
    }

    [Test]
    [Contract("B 5.4 GetBlocklistHashesAsync")]
    [Contract("B 5.4 SetBlockRestoredAsync")]
    [Contract("B 5.4 GetMissingBlockCountAsync")]
    [Contract("B 5.2 GetIndexFilesReferencingBlockFileAsync")]
    [Contract("B 6 step 10")]
    [Contract("B 7 row 13")]
    public async Task The_blocks_of_every_volume_can_be_moved_to_a_new_one_and_its_blocklists_made_anew()
    {
        await using var db = await OpenAsync();
        foreach (var name in Directory.GetFiles(Remote, "*.dblock.*").Select(x => Path.GetFileName(x)!))
        {
            var old = await db.GetRemoteVolumeIDAsync(name, default);
            var blocks = await db.GetBlocksAsync(old, default).ToListAsync();
            var replacement = await db.RegisterRemoteVolumeAsync(
                $"new-{name}",
                RemoteVolumeType.Blocks,
                RemoteVolumeState.Uploading,
                default
            );
            await using var missing = await db.CreateBlockListAsync(name, default);
            Assert.That(await missing.GetMissingBlockCountAsync(default), Is.EqualTo(blocks.Count));
            await RestoreBlocklistsAsync(missing, replacement);
            foreach (var block in blocks)
                await missing.SetBlockRestoredAsync(block.Hash, block.Size, replacement, default);

            Assert.That(await missing.GetMissingBlockCountAsync(default), Is.Zero);
            Assert.That(await missing.GetMissingBlockSourcesAsync(default).CountAsync(), Is.Zero);
            Assert.That(db.Connection.Scalar($"SELECT COUNT(*) FROM Block WHERE VolumeID = {old}"), Is.EqualTo("0"));
            Assert.That(await db.GetBlocksAsync(replacement, default).CountAsync(), Is.EqualTo(blocks.Count));
            Assert.That(await db.GetIndexFilesReferencingBlockFileAsync(old, default).CountAsync(), Is.EqualTo(1));
            await db.Transaction.CommitAsync("PostRepairBlockVolume", true, default);
        }

        Assert.That(
            db.Connection.Scalar("SELECT COUNT(*) FROM DuplicateBlock"),
            Is.EqualTo(db.Connection.Scalar("SELECT COUNT(*) FROM Block"))
        );
        await db.VerifyConsistencyAsync(m_format.Blocksize, m_format.BlockHash.DigestSize, true, default);
    }

    // Each blocklist is made as soon as its hashes are there, and marked while the others are still being read.
    private async Task RestoreBlocklistsAsync(LocalRepairDatabase.IMissingBlockList missing, long volume)
    {
        var content = new List<byte>();
        LocalRepairDatabase.BlocklistHashesEntry? last = null;
        await foreach (var entry in missing.GetBlocklistHashesAsync(m_format.HashesPerBlocklist, default))
        {
            if (last is not null && (last.BlocksetId, last.BlocklistHashIndex) != (entry.BlocksetId, entry.BlocklistHashIndex))
                await FinishAsync(last);
            content.AddRange(Convert.FromBase64String(entry.Hash));
            last = entry;
        }

        if (last is not null)
            await FinishAsync(last);

        async Task FinishAsync(LocalRepairDatabase.BlocklistHashesEntry entry)
        {
            Assert.That(m_format.BlockHash.HashToBase64(content.ToArray()), Is.EqualTo(entry.BlocklistHash));
            await missing.SetBlockRestoredAsync(entry.BlocklistHash, content.Count, volume, default);
            content.Clear();
        }
    }

    private async Task AdoptAsync(LocalRepairDatabase db, string file)
    {
        var name = Path.GetFileName(file);
        using var index = IndexVolumeReader.Open(File.OpenRead(file), file);
        var links = new List<long>();
        foreach (var volume in index.ReadVolumes())
        {
            var entry = await db.GetRemoteVolumeAsync(volume.Name.FileName, default);
            await db.CheckAllBlocksAreInVolumeAsync(entry.Name, volume.ReadBlocks(), default);
            links.Add(entry.ID);
        }

        foreach (var list in index.ReadBlocklists())
        {
            var hashes = list.Digests.ToArray().Chunk(m_format.BlockHash.DigestSize).Select(Convert.ToBase64String).ToList();
            await db.CheckBlocklistCorrectAsync(
                list.Hash,
                list.Digests.Length,
                hashes,
                m_format.Blocksize,
                m_format.BlockHash.DigestSize,
                default
            );
            hashes.Add(hashes[0]);
            Assert.That(
                () =>
                    db.CheckBlocklistCorrectAsync(
                        list.Hash,
                        list.Digests.Length,
                        hashes,
                        m_format.Blocksize,
                        m_format.BlockHash.DigestSize,
                        default
                    ),
                Throws.TypeOf<Exception>()
            );
        }

        var id = await db.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Index, RemoteVolumeState.Uploading, default);
        foreach (var link in links)
            await db.AddIndexBlockLinkAsync(id, link, default);
        await db.Transaction.CommitAsync("CommitIndexFileTransaction", true, default);
        await db.UpdateRemoteVolumeAsync(
            name,
            RemoteVolumeState.Verified,
            new FileInfo(file).Length,
            m_format.FileHash.HashToBase64(await File.ReadAllBytesAsync(file)),
            default
        );
    }

    private async Task<int> RepairCommonAsync()
    {
        await using var db = await OpenAsync();
        var written = db.Session.Statements.TotalChanges;
        await db.FixDuplicateMetahashAsync(default);
        await db.FixDuplicateFileentriesAsync(default);
        await db.FixDuplicatePathsInFilesetsAsync(default);
        await db.FixDuplicateBlocklistHashesAsync(m_format.Blocksize, m_format.BlockHash.DigestSize, default);
        await db.FixMissingBlocklistHashesAsync(blockAlgorithm, m_format.Blocksize, default);
        await db.FixEmptyMetadatasetsAsync(
            new Options(new Dictionary<string, string?> { ["file-hash-algorithm"] = fileAlgorithm }),
            default
        );
        return db.Session.Statements.TotalChanges - written;
    }

    private async Task LoadAsync(LocalDatabase parent, string name, long fileset)
    {
        await using var recreate = await LocalRecreateDatabase.CreateAsync(
            parent,
            new Options(new Dictionary<string, string?>()),
            null,
            default
        );
        var file = Path.Combine(Remote, name);
        using var list = FilelistReader.Open(File.OpenRead(file), file);
        var refused = new RefusedEntries();
        await new FilelistLoader(recreate, m_format, SilentProgress.Instance, refused).LoadAsync(list, name, fileset, default);
        Assert.That(refused.Count, Is.Zero);
    }

    private async Task AssertRepairedAsync(DatabaseDump before)
    {
        var differences = DatabaseComparison.Compare(before, DatabaseDump.Load(m_path), DumpComparisonOptions.Recreated);
        Assert.That(differences.Select(x => x.ToString()), Is.Empty);
        await using var db = await OpenAsync();
        await db.VerifyConsistencyForRepairAsync(m_format.Blocksize, m_format.BlockHash.DigestSize, true, default);
        await db.VerifyConsistencyAsync(m_format.Blocksize, m_format.BlockHash.DigestSize, true, default);
    }

    private Task<LocalRepairDatabase> OpenAsync() => LocalRepairDatabase.CreateRepairDatabaseAsync(m_path, null, default);
}
