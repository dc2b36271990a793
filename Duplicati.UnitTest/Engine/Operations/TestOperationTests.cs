// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Volumes that the passphrase does not open, in a test of all.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class TestOperationTests
{
    private const int MagicBytes = 5;

    private BackupCase m_backup = null!;

    [SetUp]
    public async Task MakeBackup()
    {
        m_backup = new BackupCase(x => x with { Passphrase = "a passphrase" });
        SourceTree.Make(m_backup.Source, new Random(5));
        await m_backup.BackUpAsync();
    }

    [TearDown]
    public void RemoveBackup() => m_backup.Dispose();

    // After a recreate nobody knows its hash, so that every test takes it first.
    [Test]
    public async Task A_volume_with_a_damaged_head_is_one_difference_and_the_others_are_tested([Values("dindex", "dlist")] string kind)
    {
        SourceTree.Change(m_backup.Source, new Random(6));
        await m_backup.BackUpAsync();
        var volume = m_backup.Volumes(kind)[0];
        DamageHead(volume);
        m_backup.Options = m_backup.Options with { DatabasePath = m_backup.File("recreated.sqlite") };
        Assert.That((await m_backup.RecreateAsync(m_backup.Options.DatabasePath)).Problems, Is.EqualTo(1));

        var report = await TestAsync(m_backup.Options);

        Assert.That(report.Differences.Select(x => x.Volume), Is.EqualTo(new[] { Path.GetFileName(volume) }));
        Assert.That(report.Volumes, Is.EquivalentTo(Directory.GetFiles(m_backup.Remote).Select(Path.GetFileName)));
        if (kind == "dlist")
            return;
        await m_backup.RepairAsync(new RepairChoices { CheckVolumes = [Path.GetFileName(volume)] });
        Assert.That((await TestAsync(m_backup.Options)).Differences, Is.Empty);
    }

    [TestCase("another")]
    [TestCase(null)]
    public void A_passphrase_that_opens_no_volume_ends_it(string? passphrase)
    {
        var error = Assert.CatchAsync<UserInformationException>(() => TestAsync(m_backup.Options with { Passphrase = passphrase }))!;
        Assert.That(error.HelpID, Is.EqualTo(passphrase is null ? "MissingPassphrase" : "WrongPassphrase"));
    }

    private Task<TestReport> TestAsync(EngineOptions options) =>
        new TestOperation(options, m_backup.Warnings).RunAsync(long.MaxValue, default);

    // Of the key of the content, beyond what says how to make the key that opens it.
    private static void DamageHead(string path)
    {
        var bytes = File.ReadAllBytes(path);
        var at = MagicBytes;
        while (BinaryPrimitives.ReadUInt16BigEndian(bytes.AsSpan(at)) is > 0 and var length)
            at += sizeof(ushort) + length;
        bytes[at + 30] ^= 1;
        File.WriteAllBytes(path, bytes);
    }
}
