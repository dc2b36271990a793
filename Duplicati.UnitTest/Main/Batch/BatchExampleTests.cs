// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Recreate;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Batch;

/// <summary>The examples of docs/linking.md, word for word.</summary>
[TestFixture]
internal sealed class BatchExampleTests
{
    private const int Blocksize = 1024;

    private TestFolder m_folder = null!;

    [SetUp]
    public void SetUp() => m_folder = new TestFolder();

    [TearDown]
    public void TearDown() => m_folder.Dispose();

    [Test]
    public async Task A_file_is_added_by_its_digests()
    {
        await using var database = await LocalBackupDatabase.CreateAsync(m_folder.File("backup.sqlite"), new Options([]), default);
        var volumeId = await database.RegisterRemoteVolumeAsync("block-1", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
        var file = BatchBlocks.Range(0, 3);
        var (hashes, sizes, fileHash, fileLength) = (file.Hashes, file.Sizes, BatchBlocks.Digest(100, 32), 3L * Blocksize);
        var blocklistHash = BatchBlocks.Digest(101, 32);
        var stored = new List<int>();
        void Store(int block) => stored.Add(block);
        var token = CancellationToken.None;

        // <example>
        var batch = BatchBackup.Of(database);
        var ids = new long[sizes.Length];
        var isNew = new bool[sizes.Length];
        batch.Add(hashes, sizes, volumeId, ids, isNew, token);
        for (var i = 0; i < isNew.Length; i++)
        {
            if (isNew[i])
                Store(i);
        }

        var blocksetIds = new long[1];
        var isNewBlockset = new bool[1];
        batch.Link(
            [new BatchBlockset(fileHash, fileLength, ids, blocklistHash, Blocklists: 1)],
            Blocksize,
            blocksetIds,
            isNewBlockset,
            token
        );
        // </example>

        Assert.That(stored, Is.EqualTo(new[] { 0, 1, 2 }));
        Assert.That(isNewBlockset[0], Is.True);
        Assert.That(
            await database.AddBlocksetAsync(Convert.ToBase64String(fileHash), fileLength, Blocksize, [], [], default),
            Is.EqualTo((false, blocksetIds[0]))
        );
        Assert.That(Document(), Does.Contain(Example("A_file_is_added_by_its_digests")));
    }

    [Test]
    public async Task An_index_file_is_taken_in_whole()
    {
        var path = await RebuildFile.CreateAsync(m_folder, "rebuild.sqlite", []);
        await using var parent = await LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default);
        await using var recreate = await LocalRecreateDatabase.CreateAsync(parent, new Options([]), null, default);
        var volumeId = await recreate.RegisterRemoteVolumeAsync("block-1", RemoteVolumeType.Blocks, RemoteVolumeState.Verified, default);
        var blocks = BatchBlocks.Range(0, 3);
        var (hashes, sizes) = (blocks.Hashes, blocks.Sizes);
        var (blocklistHash, blocklistContent) = (BatchBlocks.Digest(101, 32), blocks.Hashes);
        var token = CancellationToken.None;

        // <example>
        var batch = BatchRebuild.Of(recreate);
        var indexFile = new BatchIndexFile(
            Volumes: [new BatchVolume(volumeId, hashes, sizes)],
            Blocklists: [new BatchBlocklist(blocklistHash, blocklistContent)]
        );
        var (changedBlocks, newBlocklists) = batch.Add(indexFile, digestBytes: 32, token);
        // </example>

        Assert.That((changedBlocks, newBlocklists), Is.EqualTo((3L, 1)));
        Assert.That(await recreate.AddTempBlockListHashAsync(Convert.ToBase64String(blocklistHash), [], default), Is.False);
        Assert.That(Document(), Does.Contain(Example("An_index_file_is_taken_in_whole")));
    }

    [Test]
    public async Task The_blocks_of_files_are_listed()
    {
        await using var database = await LocalBackupDatabase.CreateAsync(m_folder.File("backup.sqlite"), new Options([]), default);
        var blocks = BatchBlocks.Range(0, 3);
        var blocksetIds = new long[1];
        var token = CancellationToken.None;
        BatchBackup.Of(database).Add(blocks.Hashes, blocks.Sizes, 1, blocks.Ids, blocks.IsNew, token);
        BatchBackup
            .Of(database)
            .Link([new BatchBlockset(BatchBlocks.Digest(100, 32), 3L * Blocksize, blocks.Ids)], Blocksize, blocksetIds, new bool[1], token);
        var fetched = new List<string>();
        void Fetch(int file, long volumeId, ReadOnlySpan<byte> digest) =>
            fetched.Add($"{file} {volumeId} {Convert.ToBase64String(digest)}");

        // <example>
        var rows = new BatchBlockRows();
        BatchBlocksets.Of(database).Read(blocksetIds, rows, token);
        for (var file = 0; file < rows.Blocksets; file++)
        {
            var (first, count) = rows.Rows(file).GetOffsetAndLength(rows.Count);
            for (var row = first; row < first + count; row++)
                Fetch(file, rows.VolumeIds[row], rows.Digest(row));
        }
        // </example>

        Assert.That(fetched, Is.EqualTo(Enumerable.Range(0, 3).Select(block => $"0 1 {BatchBlocks.Text(block)}")));
        Assert.That(Document(), Does.Contain(Example("The_blocks_of_files_are_listed")));
    }

    // The lines between the marks after a method's name, without their indentation.
    private static string Example(string method)
    {
        var lines = File.ReadAllLines(Repository.File("Duplicati.UnitTest", "Main", "Batch", nameof(BatchExampleTests) + ".cs"))
            .SkipWhile(line => !line.Contains($" {method}()", StringComparison.Ordinal))
            .SkipWhile(line => line.Trim() != "// <example>")
            .Skip(1)
            .TakeWhile(line => line.Trim() != "// </example>");
        return string.Join('\n', lines.Select(line => line.Length > 8 ? line[8..] : ""));
    }

    private static string Document() => File.ReadAllText(Repository.File("docs", "linking.md")).ReplaceLineEndings("\n");
}
