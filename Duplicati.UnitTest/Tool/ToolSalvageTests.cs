// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>Damaged block volumes, without any source left: lost are the files whose blocks are gone, and no others.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class ToolSalvageTests
{
    private static IEnumerable<object[]> Damages =>
        from encrypted in new[] { false, true }
        // Encryption changes where damage lies in the archive, not what is done about it.
        from damage in encrypted ? [Overwrite] : new Action<FileStream>[] { CutTheEnd, LoseTheDirectory, Overwrite }
        select new object[] { encrypted, damage.Method.Name, damage };

    [OneTimeTearDown]
    public void Forget() => AdviceCase.Forget();

    [TestCaseSource(nameof(Damages))]
    public async Task A_restore_uses_the_good_blocks_of_a_damaged_volume_and_a_repair_keeps_them(
        bool encrypted,
        string name,
        Action<FileStream> damage
    )
    {
        using var backup = await AdviceCase.CreateAsync(encrypted);
        var whole = await backup.ReadableAsync();
        var volume = Damage(backup, damage);
        backup.RemoveSources();
        var before = await backup.ReadableAsync();
        Assert.That(before.Count, Is.LessThan(whole.Count), "something is damaged");
        Assert.That(before.Count, Is.AtLeast(whole.Count - 4), "only files that have blocks in the damaged part are lost");

        var dry = await backup.RunAsync("repair", "--check-volume", volume, "--dry-run");
        var repair = await backup.RunAsync("repair", "--check-volume", volume);

        Assert.That((dry.Code, repair.Code), Is.EqualTo((ExitCode.Found, ExitCode.Found)), name + repair.Error);
        foreach (var figure in new[] { "recoveredBlocks", "lostBlocks" })
            Assert.That(dry.Json.GetProperty(figure).GetInt64(), Is.EqualTo(repair.Json.GetProperty(figure).GetInt64()).And.Positive);
        Assert.That(repair.Json.GetProperty("keptDamaged")[0].GetString(), Is.EqualTo("damaged-" + volume));
        Assert.That(await backup.ReadableAsync(), Is.EquivalentTo(before));
        Assert.That((await backup.RunAsync("purge-broken-files", "--yes")).Code, Is.Zero);
        Assert.That(await backup.ReadableAsync(), Is.EquivalentTo(before));
        Assert.That((await backup.RunAsync("verify")).Code, Is.Zero);
        await backup.RecreateAsync();
        Assert.That(await backup.ReadableAsync(), Is.EquivalentTo(before));
    }

    [Test]
    public async Task A_damaged_volume_is_deleted_on_demand_and_after_a_question_only()
    {
        using var backup = await AdviceCase.CreateAsync();
        var volume = Damage(backup, CutTheEnd);
        backup.RemoveSources();
        var before = await backup.ReadableAsync();

        var refused = await backup.RunAsync("repair", "--delete-damaged");
        Assert.That((refused.Code, refused.HelpId), Is.EqualTo((ExitCode.Failed, "ConfirmationNeeded")));
        Assert.That(refused.Error, Does.Contain(volume));
        Assert.That(File.Exists(Path.Combine(backup.Remote, volume)));

        var run = await backup.RunAsync("repair", "--delete-damaged", "--yes");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(Directory.GetFiles(backup.Remote, $"*{volume}*"), Is.Empty);
        Assert.That(await backup.ReadableAsync(), Is.EquivalentTo(before));
    }

    [TestCase(nameof(CutTheDirectory), ExitCode.Found)]
    [TestCase(nameof(CutTheEnd), ExitCode.Failed)]
    public async Task A_recreate_uses_the_good_blocks_of_a_damaged_volume_without_an_index(string damage, int code)
    {
        using var backup = await AdviceCase.CreateAsync();
        var volume = Damage(backup, damage == nameof(CutTheEnd) ? CutTheEnd : CutTheDirectory);
        backup.RemoveSources();
        var before = await backup.ReadableAsync();
        // The database knows the blocks of a file whose list is gone; without it, and without an index, nobody does.
        var mayGo = damage == nameof(CutTheEnd) ? backup.FilesWithTheirListIn(volume) : [];
        foreach (var index in Directory.GetFiles(backup.Remote, "*.dindex.*"))
            File.Delete(index);

        await backup.RecreateAsync(code);

        var after = await backup.ReadableAsync();
        Assert.That(after, Is.SubsetOf(before));
        Assert.That(before.Except(after).Select(x => x.Split(' ')[0]), Is.SubsetOf(mayGo));
        var verify = await backup.RunAsync("verify");
        Assert.That(verify.Code, Is.EqualTo(ExitCode.Found), "the volume is still damaged, whatever was read of it");
    }

    [Test]
    public async Task A_wrong_passphrase_is_no_damage()
    {
        using var backup = await AdviceCase.CreateAsync(encrypted: true);
        var before = Directory.GetFiles(backup.Remote).Order().ToList();
        File.WriteAllText(backup["passphrase"], "another one\n");

        (await backup.RunAsync("repair", "--check-volume", "all")).AssertRefused("WrongPassphrase");
        Assert.That(Directory.GetFiles(backup.Remote).Order(), Is.EqualTo(before));
    }

    private static string Damage(AdviceCase backup, Action<FileStream> damage)
    {
        var path = VolumeFiles.Of(backup.Remote, "dblock")[0];
        using var file = new FileStream(path, FileMode.Open);
        damage(file);
        return Path.GetFileName(path);
    }

    // A few blocks and the directory.
    private static void CutTheEnd(FileStream file) => file.SetLength(file.Length * 8 / 10);

    // All blocks stay; only their directory goes, and so the volume does not open.
    private static void CutTheDirectory(FileStream file) => file.SetLength(file.Length - 200);

    private static void LoseTheDirectory(FileStream file)
    {
        Overwrite(file);
        file.SetLength(file.Length - 200);
    }

    // More than lies together of what a restore does not read: the list of a file's blocks, and the metadata of all.
    private static void Overwrite(FileStream file)
    {
        file.Position = file.Length / 2;
        file.Write(new byte[5000]);
    }
}
