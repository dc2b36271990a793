// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Threading.Channels;
using Duplicati.Engine.Access;
using Duplicati.Engine.Backup;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Backup;

/// <summary>A reader hands over what it has read.</summary>
[TestFixture]
internal sealed class EntryRecorderTests : FolderTestBase
{
    private const int BlockSize = 1024;

    // Else a pipe would be waited for, what a link leads to be a file of the sources, and a link have no target.
    [TestCase(SourceKind.Symlink, "file")]
    [TestCase(SourceKind.Folder, "file")]
    [TestCase(SourceKind.File, "link")]
    [TestCase(SourceKind.File, "pipe")]
    [TestCase(SourceKind.File, "folder")]
    [Platform("Linux")]
    [CancelAfter(60_000)]
    public async Task What_has_taken_the_place_of_an_entry_is_left_out(SourceKind listed, string isNow, CancellationToken token)
    {
        var path = Folder.File("source");
        await File.WriteAllTextAsync(Folder.File("outside"), "outside", token);
        switch (isNow)
        {
            case "file":
                await File.WriteAllTextAsync(path, "content", token);
                break;
            case "link":
                File.CreateSymbolicLink(path, Folder.File("outside"));
                break;
            case "pipe":
                Assert.That(ChildProcess.Run("mkfifo", path).ExitCode, Is.Zero);
                break;
            default:
                Directory.CreateDirectory(path);
                break;
        }

        await using var database = await LocalBackupDatabase.CreateAsync(Folder.File("backup.sqlite"), new Options([]), token);
        using var shared = new SharedDatabase<LocalBackupDatabase>(database);
        var settings = new BackupSettings(new VolumeFormat { Blocksize = BlockSize }, "duplicati", null, false);
        var warnings = new WarningList();
        var batches = Channel.CreateUnbounded<BlockBatch>();
        using var recorder = new EntryRecorder(settings, shared, batches, new BackupCounters(), warnings, -1, readsAll: true);

        await recorder.RecordAsync(new SourceEntry(path, listed, 7, DateTime.UtcNow), token).WaitAsync(token);

        Assert.That(warnings.Texts, Is.EqualTo(new[] { $"Skipped {path}: It was replaced while it was backed up." }));
        Assert.That(batches.Reader.TryRead(out _), Is.False);
    }

    // Else the content would get other blocks, or the backup would end with an internal error.
    [Test]
    public async Task The_digests_of_a_stream_outlive_an_interrupted_reader()
    {
        var content = RandomNumberGenerator.GetBytes(BlockSize * 3);
        await File.WriteAllBytesAsync(Folder.File("source"), content);
        await using var database = await LocalBackupDatabase.CreateAsync(Folder.File("backup.sqlite"), new Options([]), default);
        using var shared = new SharedDatabase<LocalBackupDatabase>(database);
        var settings = new BackupSettings(new VolumeFormat { Blocksize = BlockSize }, "duplicati", null, false);
        var batches = Channel.CreateBounded<BlockBatch>(8);
        using var stop = new CancellationTokenSource();
        var recorder = new EntryRecorder(settings, shared, batches, new BackupCounters(), SilentProgress.Instance, -1, readsAll: true);
        using var recorderScope = recorder;

        var reading = recorder.RecordAsync(
            new SourceEntry(Folder.File("source"), SourceKind.File, content.Length, DateTime.UtcNow),
            stop.Token
        );
        BlockBatch batch;
        do batch = await batches.Reader.ReadAsync();
        while (!batch.IsLast);
        using var digests = batch.Stream.Blocks.AsText().GetEnumerator();
        Assert.That(digests.MoveNext(), Is.True);
        await stop.CancelAsync();
        Assert.CatchAsync<OperationCanceledException>(() => reading);

        List<string> read = [digests.Current];
        while (digests.MoveNext())
            read.Add(digests.Current);
        Assert.That(read, Is.EqualTo(content.Chunk(BlockSize).Select(x => Convert.ToBase64String(SHA256.HashData(x)))));
        batch.Stream.Dispose();
    }
}
