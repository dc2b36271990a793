// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using System.Text.Json.Nodes;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Recreate;

/// <summary>Recreates from index volumes that name other block volumes than those they are of.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class UnaccountedVolumeTests
{
    private const string NOWHERE = "duplicati-b00000000000000000000000000000000.dblock.zip";

    private static readonly Dictionary<string, Action<BackupCase>> s_confusions = new()
    {
        ["an index volume names one that is not there"] = x => Name(x, 0, NOWHERE),
        ["the same and without a hash"] = x => Name(x, 0, NOWHERE, hash: false),
        ["an index volume names that of another"] = x => Name(x, 0, Described(x, 1)),
        ["the later of two names that of the other"] = x => Name(x, 2, Described(x, 1)),
        ["two index volumes name each other's"] = x =>
        {
            // Two of one size are told apart by reading them only, which a verification does.
            var other = Enumerable.Range(1, x.Volumes("dindex").Length - 1).First(i => SizeOf(x, i) != SizeOf(x, 0));
            var (first, second) = (Described(x, 0), Described(x, other));
            Name(x, 0, second);
            Name(x, other, first);
        },
        ["four index volumes name the same"] = x =>
        {
            for (var i = 0; i < 3; i++)
                Name(x, i, Described(x, 3));
        },
    };

    private static IEnumerable<string> Confusions => s_confusions.Keys;

    [Test]
    public async Task Volumes_that_no_index_volume_describes_are_read_before_anything_is_lost(
        [Values(IndexPolicy.Full, IndexPolicy.Lookup)] IndexPolicy policy,
        [ValueSource(nameof(Confusions))] string confusion
    )
    {
        using var backup = Make(policy);
        await backup.BackUpAsync();
        SourceTree.Change(backup.Source, new Random(2));
        await backup.BackUpAsync();
        var expected = await backup.RestoredVersionsAsync(2);
        s_confusions[confusion](backup);
        var first = backup.Options.DatabasePath;

        var report = await backup.UseRecreatedAsync();

        Assert.That(report.Problems, Is.Zero);
        Assert.That(await backup.RestoredVersionsAsync(2), Is.EqualTo(expected));
        Assert.That(backup.Rows("""SELECT "Name" FROM "Remotevolume" WHERE "Name" LIKE '%/%' OR "State" = 'Temporary'"""), Is.Empty);
        await backup.AssertSoundAsync("after the recreate");
        Assert.That(
            Databases
                .Compare(first, backup.Options.DatabasePath, DumpComparisonOptions.Logical)
                .Select(x => x.ToString())
                .Where(x => !x.Contains("dindex", StringComparison.Ordinal)),
            Is.Empty
        );
        Assert.That((await backup.RestoreDirectlyAsync(backup.File("direct"))).Failed, Is.Empty);
        await backup.BackUpAsync();
    }

    // Sizes tell nothing then: the first that is read is believed, until the second says otherwise.
    [Test]
    public async Task Of_two_descriptions_of_one_volume_that_could_both_be_so_the_volume_decides([Values] bool isFirstRight)
    {
        using var backup = Make(IndexPolicy.Full);
        await backup.BackUpAsync();
        var expected = await backup.RestoredVersionsAsync(1);
        // Names are read in their order.
        var (wrong, right) = isFirstRight ? (1, 0) : (0, 1);
        var (name, size) = (Described(backup, right), SizeOf(backup, right));
        Name(backup, wrong, name, size: size);

        var report = await backup.UseRecreatedAsync();

        Assert.That(report.Problems, Is.Zero);
        Assert.That(report.BlockVolumes, Is.EqualTo(2), "both that may hold what is said");
        Assert.That(await backup.RestoredVersionsAsync(1), Is.EqualTo(expected));
        await backup.AssertSoundAsync("after the recreate");
    }

    // Its index volume lacks a block, so that all but this one is known of it.
    [Test]
    public async Task A_block_that_is_claimed_for_a_volume_without_it_is_found_in_one_that_is_described([Values] bool isOtherSize)
    {
        using var backup = Make(IndexPolicy.Full);
        await backup.BackUpAsync();
        var expected = await backup.RestoredVersionsAsync(1);
        var lacking = Enumerable.Range(0, backup.Volumes("dindex").Length).First(x => BlocksOfFiles(backup, x).Any());
        int[] others = [.. Enumerable.Range(0, 3).Where(x => x != lacking)];
        var (claiming, named) = (others[0], others[isOtherSize ? 0 : 1]);
        var block = BlocksOfFiles(backup, lacking).First();
        Blocks(backup, lacking, all => all.Remove(all.First(x => HashOf(x!) == HashOf(block))));
        Blocks(backup, claiming, all => all.Add(block.DeepClone()));
        Name(backup, claiming, Described(backup, named), size: SizeOf(backup, named) + (isOtherSize ? 1 : 0));

        var report = await backup.UseRecreatedAsync();

        Assert.That(report.Problems, Is.Zero);
        Assert.That(await backup.RestoredVersionsAsync(1), Is.EqualTo(expected));
        // What index volumes tell wrongly stays in them.
        Databases.AssertSound(backup.Options.DatabasePath, "after the recreate");
    }

    [Test]
    public async Task Blocks_that_are_claimed_for_two_volumes_without_them_are_found_in_one_that_is_described()
    {
        using var backup = Make(IndexPolicy.Full);
        await backup.BackUpAsync();
        var expected = await backup.RestoredVersionsAsync(1);
        var lacking = Enumerable.Range(0, backup.Volumes("dindex").Length).First(x => BlocksOfFiles(backup, x).Skip(1).Any());
        int[] claiming = [.. Enumerable.Range(0, 3).Where(x => x != lacking).Take(2)];
        JsonNode[] blocks = [.. BlocksOfFiles(backup, lacking).Take(2)];
        for (var i = 0; i < blocks.Length; i++)
        {
            var block = blocks[i];
            Blocks(backup, lacking, all => all.Remove(all.First(x => HashOf(x!) == HashOf(block))));
            Blocks(backup, claiming[i], all => all.Add(block.DeepClone()));
            Name(backup, claiming[i], Described(backup, claiming[i]), size: SizeOf(backup, claiming[i]) + 1);
        }

        var report = await backup.UseRecreatedAsync();

        Assert.That(report.Problems, Is.Zero);
        Assert.That(await backup.RestoredVersionsAsync(1), Is.EqualTo(expected));
        Databases.AssertSound(backup.Options.DatabasePath, "after the recreate");
    }

    // All volumes may be very many.
    [Test]
    public async Task For_a_claimed_block_that_nothing_needs_no_other_volume_is_read()
    {
        using var backup = Make(IndexPolicy.Full);
        await backup.BackUpAsync();
        Blocks(backup, 0, all => all.Add(new JsonObject { ["hash"] = SampleDatabase.Hash("nothing"), ["size"] = 1000 }));
        Name(backup, 0, Described(backup, 0), size: SizeOf(backup, 0) + 1);

        var report = await backup.RecreateAsync(backup.File("recreated.sqlite"));

        Assert.That((report.Problems, report.BlockVolumes), Is.EqualTo((0, 1)));
    }

    [Test]
    public async Task A_recreate_that_is_interrupted_while_it_reads_them_comes_to_the_same()
    {
        using var backup = Make(IndexPolicy.Lookup);
        await backup.BackUpAsync();
        Name(backup, 0, Described(backup, 1));
        Name(backup, 2, NOWHERE);
        backup.Options = backup.Options with { Parallelism = 1 };
        var test = await RecreateCase.OfAsync(backup);
        for (var at = 2; at <= test.Volumes; at++)
        {
            await test.InterruptAsync(at);
            await test.RecreateAsync();
            test.AssertComplete($"interrupted at {at} of {test.Volumes}");
            File.Delete(test.Database);
        }
    }

    // As before: what the database knows of it is what a repair needs to find its blocks elsewhere.
    [Test]
    public async Task What_a_volume_that_is_cut_off_held_stays_known()
    {
        using var backup = Make(IndexPolicy.Full);
        await backup.BackUpAsync();
        var expected = await backup.RestoredVersionsAsync(1);
        var volume = backup.Volumes("dblock")[0];
        await File.WriteAllBytesAsync(volume, (await File.ReadAllBytesAsync(volume))[..10_000]);

        var report = await backup.UseRecreatedAsync();

        Assert.That(report.Problems, Is.EqualTo(1));
        await backup.RepairAsync(new Duplicati.Engine.Reports.RepairChoices { RebuildMissingBlockVolumes = true });
        Assert.That(await backup.RestoredVersionsAsync(1), Is.EqualTo(expected));
        await backup.AssertSoundAsync("after the repair");
    }

    private static BackupCase Make(IndexPolicy policy)
    {
        var backup = new BackupCase(x => x with { IndexPolicy = policy, VolumeSize = 40 * 1024 });
        SourceTree.Make(backup.Source, new Random(1));
        return backup;
    }

    private static string Described(BackupCase backup, int index) => VolumeEdit.Described(backup.Volumes("dindex")[index]).Volume;

    private static long SizeOf(BackupCase backup, int index) => new FileInfo(Path.Combine(backup.Remote, Described(backup, index))).Length;

    private static string HashOf(JsonNode block) => block["hash"]!.GetValue<string>();

    private static IEnumerable<JsonNode> BlocksOfFiles(BackupCase backup, int index) =>
        VolumeEdit.Described(backup.Volumes("dindex")[index]).Content["blocks"]!.AsArray().Where(x => IsOfFile(backup, x!))!;

    private static bool IsOfFile(BackupCase backup, JsonNode block) =>
        backup
            .Rows(
                $"""
                SELECT 1 FROM "Block" WHERE "Hash" = '{HashOf(block)}' AND "Size" = 1024
                    AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")
                """
            )
            .Length > 0;

    // Changes which blocks an index volume tells of.
    private static void Blocks(BackupCase backup, int index, Action<JsonArray> change) =>
        VolumeEdit.Describe(backup.Volumes("dindex")[index], x => change(x["blocks"]!.AsArray()));

    // Lets an index volume name another block volume.
    private static void Name(BackupCase backup, int index, string name, bool hash = true, long size = -1) =>
        VolumeEdit.Rewrite(
            backup.Volumes("dindex")[index],
            (entry, content) =>
            {
                if (!entry.StartsWith("vol/", StringComparison.Ordinal))
                    return (entry, content);
                var text = Encoding.UTF8.GetString(content);
                if (!hash)
                    text = text[..text.IndexOf(",\"volumehash\"", StringComparison.Ordinal)] + "}";
                if (size >= 0)
                    text = text[..text.IndexOf("\"volumesize\":", StringComparison.Ordinal)] + $"\"volumesize\":{size}}}";
                return ("vol/" + name, Encoding.UTF8.GetBytes(text));
            }
        );
}
