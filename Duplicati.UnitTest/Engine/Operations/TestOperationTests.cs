// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Volumes that the passphrase does not open, in a test of all.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class TestOperationTests : BackupTestBase
{
    private const int MagicBytes = 5;

    [SetUp]
    public async Task MakeBackup() => Backup = await BackupCase.MadeAsync(5, x => x with { Passphrase = "a passphrase" });

    // After a recreate nobody knows its hash, so that every test takes it first.
    [Test]
    public async Task A_volume_with_a_damaged_head_is_one_difference_and_the_others_are_tested([Values("dindex", "dlist")] string kind)
    {
        SourceTree.Change(Backup.Source, new Random(6));
        await Backup.BackUpAsync();
        var volume = Backup.Volumes(kind)[0];
        DamageHead(volume);
        Assert.That((await Backup.UseRecreatedAsync()).Problems, Is.EqualTo(1));

        var report = await Backup.TestAsync();

        Assert.That(report.Differences.Select(x => x.Volume), Is.EqualTo(new[] { Path.GetFileName(volume) }));
        Assert.That(report.Volumes, Is.EquivalentTo(Directory.GetFiles(Backup.Remote).Select(Path.GetFileName)));
        if (kind == "dlist")
            return;
        await Backup.RepairAsync(new RepairChoices { CheckVolumes = [Path.GetFileName(volume)] });
        Assert.That((await Backup.TestAsync()).Differences, Is.Empty);
    }

    // As an interrupted backup leaves one that no index describes: a recreate has no need to read it.
    [Test]
    public async Task A_block_volume_of_which_the_database_knows_nothing_is_no_difference()
    {
        var volume = Backup.Volumes("dblock")[0];
        File.Copy(volume, Path.Combine(Backup.Remote, "duplicati-b0123456789abcdef0123456789abcdef.dblock.zip.aes"));
        await Backup.UseRecreatedAsync();

        Assert.That((await Backup.TestAsync()).Differences, Is.Empty);
    }

    [TestCase("another")]
    [TestCase(null)]
    public void A_passphrase_that_opens_no_volume_ends_it(string? passphrase)
    {
        Backup.Options = Backup.Options with { Passphrase = passphrase };
        var error = Assert.CatchAsync<UserInformationException>(Backup.TestAsync)!;
        Assert.That(error.HelpID, Is.EqualTo(passphrase is null ? "MissingPassphrase" : "WrongPassphrase"));
    }

    // Of the key of the content, beyond what says how to make the key that opens it.
    private static void DamageHead(string path)
    {
        var bytes = File.ReadAllBytes(path);
        var at = MagicBytes;
        while (BinaryPrimitives.ReadUInt16BigEndian(bytes.AsSpan(at)) is > 0 and var length)
            at += sizeof(ushort) + length;
        VolumeEdit.Flip(path, at + 30);
    }
}
