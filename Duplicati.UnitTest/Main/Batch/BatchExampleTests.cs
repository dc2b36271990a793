// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Recreate;

namespace Duplicati.UnitTest.Main.Batch;

/// <summary>The example of docs/linking.md, word for word.</summary>
[TestFixture]
internal sealed class BatchExampleTests : FolderTestBase
{
    [Test]
    public async Task An_index_file_is_taken_in_whole()
    {
        var path = await RebuildFile.CreateAsync(Folder, "rebuild.sqlite", []);
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
