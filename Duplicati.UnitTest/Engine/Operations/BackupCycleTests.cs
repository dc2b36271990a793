// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Whole lives of backups, with every setting that changes what is written.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class BackupCycleTests
{
    private const int KB = 1024;

    [TestCase(KB, 50 * KB, IndexPolicy.Full, "SHA256", "SHA256", null)]
    [TestCase(KB, 50 * KB, IndexPolicy.Lookup, "SHA256", "SHA256", null)]
    [TestCase(KB, 50 * KB, IndexPolicy.None, "SHA256", "SHA256", null)]
    [TestCase(KB, 50 * KB, IndexPolicy.Full, "MD5", "SHA512", null)]
    [TestCase(KB, 50 * KB, IndexPolicy.Full, "SHA512", "MD5", "a passphrase")]
    [TestCase(10 * KB, 100 * KB, IndexPolicy.Lookup, "SHA1", "SHA384", "a passphrase")]
    [TestCase(10 * KB, 1024 * KB, IndexPolicy.Full, "SHA256", "SHA256", "a passphrase")]
    [TestCase(10 * KB, 1024 * KB, IndexPolicy.None, "SHA256", "SHA256", null)]
    [Contract("A 12 row 19")]
    public async Task Every_version_survives_backup_recreate_delete_and_compact(
        int blockSize,
        int volumeSize,
        IndexPolicy policy,
        string blockHash,
        string fileHash,
        string? passphrase
    )
    {
        // Which blocks share a volume differs from run to run, as the times in their metadata do: with a larger threshold some that nothing
        // uses may stay.
        using var backup = new BackupCase(x =>
            x with
            {
                BlockSize = blockSize,
                VolumeSize = volumeSize,
                IndexPolicy = policy,
                BlockHash = blockHash,
                FileHash = fileHash,
                Passphrase = passphrase,
                SmallFileMaxCount = 1,
                CompactThreshold = 1,
            }
        );
        var random = new Random(blockSize + volumeSize);
        SourceTree.Make(backup.Source, random);
        var first = await BackUpAsync(backup);
        await AssertUnchangedUploadsNothingAsync(backup);

        SourceTree.Change(backup.Source, random);
        var second = await BackUpAsync(backup);
        Directory.Delete(Path.Combine(backup.Source, "sizes"), recursive: true);
        var third = await BackUpAsync(backup);
        await backup.AssertRecreateEqualsAsync("after three backups");
        Assert.That(await backup.RestoredAsync(2), Is.EqualTo(first));
        Assert.That(await backup.RestoredAsync(1), Is.EqualTo(second));
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(third));

        var before = backup.RemoteBytes();
        var deleted = await backup.DeleteAsync(1, 2);
        Assert.That(deleted.DeletedVersions, Is.EqualTo(2));
        Assert.That(deleted.Compact!.DeletedVolumes, Is.Positive);
        Assert.That(backup.RemoteBytes(), Is.LessThan(before - 200_000), "the blocks that only deleted versions had are gone");
        await backup.AssertRecreateEqualsAsync("after delete and compact");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(third));
        Assert.That(backup.Warnings.Texts, Is.Empty);
    }

    [Test]
    public async Task Each_volume_that_is_deleted_is_noted_before()
    {
        using var backup = new BackupCase(x => x with { SmallFileMaxCount = 1 });
        SourceTree.Make(backup.Source, new Random(3));
        await BackUpAsync(backup);
        Directory.Delete(Path.Combine(backup.Source, "sizes"), recursive: true);
        await BackUpAsync(backup);
        var states = new List<string>();
        backup.Warnings.OnMessage = text =>
        {
            // What another process would find, if this one ended here.
            if (text.Split(' ') is ["Deleting", var name, ..])
                states.AddRange(backup.Rows($"""SELECT "State" FROM "Remotevolume" WHERE "Name" = '{name}'"""));
        };

        await backup.DeleteAsync(1);

        Assert.That(states, Has.Count.AtLeast(3), "a list, and volumes of blocks with their indexes");
        Assert.That(states, Is.All.EqualTo("Deleting"));
    }

    [Test]
    public async Task A_compact_keeps_the_further_copies_of_what_it_cannot_read()
    {
        using var backup = new BackupCase(x =>
            x with
            {
                VolumeSize = 20 * KB,
                SmallFileMaxCount = 1000,
                CompactThreshold = 10,
                NoAutoCompact = true,
            }
        );
        var random = new Random(5);
        for (var i = 0; i < 20; i++)
            SourceTree.Write(backup.Source, $"{i:00}", 10 * KB, random);
        await BackUpAsync(backup);
        for (var i = 0; i < 20; i += 2)
            File.Delete(Path.Combine(backup.Source, $"{i:00}"));
        var expected = await BackUpAsync(backup);
        await backup.DeleteAsync(1);
        var uploads = 0;
        var failing = new WarningList
        {
            OnMessage = text =>
            {
                if (
                    text.StartsWith("Uploading", StringComparison.Ordinal)
                    && text.Contains(".dblock.", StringComparison.Ordinal)
                    && ++uploads == 2
                )
                    throw new IOException("the second upload");
            },
        };
        Assert.That(async () => await new CompactOperation(backup.Options, failing).RunAsync(default), Throws.InstanceOf<IOException>());
        var (primary, holder) = FurtherCopy(backup);
        var good = await File.ReadAllBytesAsync(primary);
        VolumeEdit.Flip(primary, 100);

        // In the second compact nothing is left to be rewritten but the damaged volume.
        for (var round = 1; round <= 3; round++)
        {
            await backup.CompactAsync();
            Assert.That(File.Exists(holder), Is.True, $"after compact {round}");
            Assert.That(backup.Warnings.Texts, Has.Count.AtLeast(round).And.All.StartsWith("Left "));
        }

        var volumes = backup.Volumes("dblock").Length;
        await File.WriteAllBytesAsync(primary, good);
        await backup.CompactAsync();
        Assert.That(File.Exists(holder), Is.False);
        Assert.That(backup.Volumes("dblock"), Has.Length.LessThan(volumes));
        await backup.BackUpAsync();
        await backup.AssertRecreateEqualsAsync("after all");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(expected));
    }

    [Test]
    public async Task A_recreated_database_keeps_no_volume_size_but_a_chosen_one()
    {
        using var backup = new BackupCase();
        SourceTree.Make(backup.Source, new Random(2));
        await BackUpAsync(backup);
        var chosen = backup.File("chosen.sqlite");
        await backup.RecreateAsync(chosen);
        Assert.That(StoredVolumeSize(chosen), Is.EqualTo("51200"));

        var options = backup.Options;
        File.Delete(options.DatabasePath);
        backup.Options = options with { VolumeSize = null };
        await backup.RecreateAsync(options.DatabasePath);
        Assert.That(StoredVolumeSize(options.DatabasePath), Is.Null);
        SourceTree.Change(backup.Source, new Random(3));
        await backup.BackUpAsync();
        Assert.That(StoredVolumeSize(options.DatabasePath), Is.Null, "the default was used, but nobody chose it");

        backup.Options = options with { VolumeSize = 60 * KB };
        await backup.BackUpAsync("more", 5000, 4);
        Assert.That(StoredVolumeSize(options.DatabasePath), Is.EqualTo("61440"));
    }

    [Test]
    public async Task A_recreated_database_is_backed_up_to_without_uploading_known_blocks()
    {
        using var backup = new BackupCase();
        SourceTree.Make(backup.Source, new Random(1));
        await BackUpAsync(backup);
        File.Delete(backup.Options.DatabasePath);
        await backup.RecreateAsync(backup.Options.DatabasePath);
        var report = await backup.BackUpAsync();
        Assert.That(report.NewBlocks, Is.Zero);
        SourceTree.Change(backup.Source, new Random(2));
        var expected = await BackUpAsync(backup);
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(expected));
        await backup.AssertRecreateEqualsAsync("after a recreate and two backups");
    }

    private static async Task<string[]> BackUpAsync(BackupCase backup)
    {
        var source = SourceTree.Describe(backup.Source);
        var report = await backup.BackUpAsync();
        Assert.That(report.NewVersion, Is.True);
        Assert.That(report.Skipped, Is.Zero);
        await backup.AssertSoundAsync("after a backup");
        return source;
    }

    // A volume, and one that holds a further copy of one of its blocks.
    private static (string Primary, string Holder) FurtherCopy(BackupCase backup)
    {
        const string Copies = """
            SELECT "p"."Name", "h"."Name"
            FROM "DuplicateBlock" "d" JOIN "Block" "b" ON "b"."ID" = "d"."BlockID" JOIN "Remotevolume" "p" ON "p"."ID" = "b"."VolumeID" JOIN "Remotevolume" "h" ON "h"."ID" = "d"."VolumeID"
            WHERE "h"."State" IN ('Uploaded', 'Verified')
            """;
        var names = backup.Rows(Copies)[0].Split('|');
        return (Path.Combine(backup.Remote, names[0]), Path.Combine(backup.Remote, names[1]));
    }

    private static string? StoredVolumeSize(string database) =>
        Databases.Query(database, """SELECT "Value" FROM "Configuration" WHERE "Key" = 'dblock-size'""");

    private static async Task AssertUnchangedUploadsNothingAsync(BackupCase backup)
    {
        var before = SourceTree.Describe(backup.Remote);
        var report = await backup.BackUpAsync();
        Assert.That(report.NewVersion, Is.False);
        Assert.That(report.UploadedVolumes, Is.Zero);
        Assert.That(report.NewBlocks, Is.Zero);
        Assert.That(SourceTree.Describe(backup.Remote), Is.EqualTo(before));
        await backup.AssertSoundAsync("after a backup of nothing new");
    }
}
