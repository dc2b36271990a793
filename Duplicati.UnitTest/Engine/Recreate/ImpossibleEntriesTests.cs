// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Nodes;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Reports;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool;
using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Engine.Recreate;

/// <summary>Recreates from file lists with entries that cannot be so.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ImpossibleEntriesTests
{
    // 1, 40 and 100 blocks of 1 KB: no list of blocks, two and four. The first is in a folder.
    private const string SMALL = "folder/small";
    private const string MEDIUM = "medium";
    private const string LARGE = "large";

    private static IEnumerable<TestCaseData> Cases()
    {
        yield return Case("a negative size", LARGE, (x, _) => x["size"] = -1);
        yield return Case("a size that is no number", LARGE, (x, _) => x["size"] = "1");
        yield return Case("a size beyond all disks", LARGE, (x, _) => x["size"] = long.MaxValue);
        yield return Case("a size of more lists of blocks", LARGE, (x, _) => x["size"] = 200_000);
        yield return Case("a size of fewer lists of blocks", LARGE, (x, _) => x["size"] = 20_000);
        yield return Case("a size of more blocks in the last list", LARGE, (x, _) => x["size"] = 103_000);
        yield return Case("a size of one byte more", LARGE, (x, _) => x["size"] = x["size"]!.GetValue<long>() + 1);
        yield return Case("a size of one block of a file of many", MEDIUM, (x, _) => x["size"] = 1000);
        yield return Case("no size of a file of many blocks", MEDIUM, (x, _) => x["size"] = 0);
        yield return Case("a size of one byte less of a file of one block", SMALL, (x, _) => x["size"] = x["size"]!.GetValue<long>() - 1);
        yield return Case("a size of many blocks of a file of one", SMALL, (x, _) => x["size"] = 5000);
        yield return Case("a time that is none", SMALL, (x, _) => x["time"] = "yesterday");
        yield return Case("a hash that is none", SMALL, (x, _) => x["hash"] = "no hash");
        yield return Case("a hash of another length", SMALL, (x, _) => x["hash"] = Convert.ToBase64String(new byte[16]));
        yield return Case("no hash", SMALL, (x, _) => x["hash"] = null);
        yield return Case("metadata of another size", MEDIUM, (x, _) => x["metasize"] = x["metasize"]!.GetValue<long>() + 1);
        yield return Case("metadata of many blocks without lists", MEDIUM, (x, _) => x["metasize"] = 5000);
        yield return Case("a hash of metadata that is none", MEDIUM, (x, _) => x["metahash"] = "?");
        yield return Case("a list of blocks less", LARGE, (x, _) => x["blocklists"]!.AsArray().RemoveAt(1));
        yield return Case(
            "a list of blocks more",
            LARGE,
            (x, _) => x["blocklists"]!.AsArray().Add(x["blocklists"]![0]!.GetValue<string>())
        );
        yield return Case("a list of blocks that is a number", LARGE, (x, _) => x["blocklists"]![2] = 7);
        yield return Case("a list of blocks that is no hash", LARGE, (x, _) => x["blocklists"]![2] = "no hash");
        yield return Case(
            "lists of blocks in another order",
            LARGE,
            (x, _) =>
            {
                var lists = x["blocklists"]!.AsArray();
                var last = lists[3]!.GetValue<string>();
                lists.RemoveAt(3);
                lists.Insert(0, last);
            }
        );
        yield return Case("no lists of blocks", LARGE, (x, _) => x.Remove("blocklists"));
        yield return Case(
            "lists of blocks of a file of one",
            SMALL,
            (x, _) => x["blocklists"] = new JsonArray(x["hash"]!.GetValue<string>())
        );
        yield return Case(
            "the block of another file",
            SMALL,
            (x, all) =>
            {
                x["blockhash"] = Of(all, "folder/other")["hash"]!.GetValue<string>();
                x["blocksize"] = x["size"]!.GetValue<long>();
            }
        );
        yield return Case("a path that leads elsewhere", SMALL, (x, _) => x["path"] = "/a/../../b");
        yield return Case("a path that is relative", SMALL, (x, _) => x["path"] = "a/b");
        yield return Case("no path", SMALL, (x, _) => x["path"] = "");
        yield return Case("a path with NUL", SMALL, (x, _) => x["path"] = "/a\0b");
        yield return Case("an unknown property", SMALL, (x, _) => x["owner"] = "root");
        yield return Case(
            "properties in another order",
            SMALL,
            (x, _) =>
            {
                var size = x["size"]!.GetValue<long>();
                x.Remove("size");
                x["size"] = size;
            }
        );
        yield return Case("no entry but a number", null, (_, all) => all.Insert(0, 7));
        yield return Case("no entry but a list", null, (_, all) => all.Insert(1, new JsonArray("a", new JsonArray())));
        yield return Case("an entry that is empty", null, (_, all) => all.Insert(2, new JsonObject()));
        yield return Case("an entry twice", null, (_, all) => all.Add(Of(all, LARGE).DeepClone()));
        yield return Case("a folder twice", null, (_, all) => all.Add(Of(all, "folder/").DeepClone()));
        yield return Case(
            "a path twice with the metadata of another",
            null,
            (_, all) =>
            {
                var again = Of(all, LARGE).DeepClone().AsObject();
                again["metahash"] = Of(all, MEDIUM)["metahash"]!.GetValue<string>();
                again["metasize"] = Of(all, MEDIUM)["metasize"]!.GetValue<long>();
                all.Add(again);
            }
        );
    }

    [TestCaseSource(nameof(Cases))]
    public async Task An_entry_that_cannot_be_so_is_left_out_and_told_and_everything_else_is_there(string? lost, Action<JsonArray> change)
    {
        using var backup = await MakeAsync();
        var expected = await backup.RestoredAsync(1);
        var newest = (await backup.RestoredAsync(0))
            .Where(x => lost is null || !x.StartsWith($"file {lost} ", StringComparison.Ordinal))
            .ToArray();
        VolumeEdit.RewriteList(backup.Volumes("dlist")[1], change);

        var report = await backup.UseRecreatedAsync();

        Assert.That((report.RefusedEntries, report.Problems, report.Filelists), Is.EqualTo((1, 0, 2)));
        Assert.That(backup.Warnings.Texts.Count(x => x.StartsWith("Left out ", StringComparison.Ordinal)), Is.EqualTo(1));
        Assert.That(report.BlockVolumes, Is.Zero, "nothing that cannot be there is looked for");
        Assert.That(await RestoredWithoutFolderTimesAsync(backup, 0), Is.EqualTo(newest.Where(IsFile)));
        Assert.That(await backup.RestoredAsync(1), Is.EqualTo(expected), "the version before");
        Assert.That(await backup.ListBrokenAsync(), Is.Empty);
        var repair = await backup.RepairAsync();
        Assert.That(repair.Problems, Is.Empty);
        await backup.BackUpAsync();
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
        await backup.PurgeAsync("*nothing*");
    }

    [Test]
    public async Task Contradictions_that_block_volumes_alone_show_are_left_out_as_well()
    {
        using var backup = await MakeAsync(x => x with { IndexPolicy = IndexPolicy.None });
        VolumeEdit.RewriteList(
            backup.Volumes("dlist")[1],
            all =>
            {
                Of(all, LARGE)["size"] = 103_000;
                Of(all, MEDIUM)["size"] = Of(all, MEDIUM)["size"]!.GetValue<long>() + 1;
                Of(all, SMALL)["size"] = 7;
            }
        );

        var report = await backup.UseRecreatedAsync();

        Assert.That((report.RefusedEntries, report.Problems), Is.EqualTo((3, 0)));
        Assert.That(await RestoredWithoutFolderTimesAsync(backup, 0), Has.Exactly(1).Items);
        await backup.BackUpAsync();
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
    }

    // What is twice in a list shows last, and what is broken ends the recreate before.
    [Test]
    public async Task A_path_twice_beside_lost_blocks_is_left_out_and_what_is_advised_comes_to_its_end([Values] bool isFirstLost)
    {
        using var backup = await MakeAsync();
        var expected = (await RestoredWithoutFolderTimesAsync(backup, 0)).Where(x =>
            !x.StartsWith($"file {LARGE} ", StringComparison.Ordinal)
        );
        var volumes = VolumesOf(backup, LARGE);
        volumes.ExceptWith(VolumesOf(backup, SMALL));
        volumes.ExceptWith(VolumesOf(backup, "folder/other"));
        volumes.ExceptWith(VolumesOf(backup, MEDIUM));
        VolumeEdit.RewriteList(
            backup.Volumes("dlist")[1],
            all =>
            {
                var again = Of(all, isFirstLost ? LARGE : SMALL).DeepClone().AsObject();
                again["path"] = Of(all, SMALL)["path"]!.GetValue<string>();
                again["metahash"] = Of(all, "folder/other")["metahash"]!.GetValue<string>();
                again["metasize"] = Of(all, "folder/other")["metasize"]!.GetValue<long>();
                all.Insert(isFirstLost ? 0 : all.Count, again);
            }
        );
        File.Delete(Path.Combine(backup.Remote, volumes.First()));
        File.Delete(backup.Options.DatabasePath);
        Directory.Delete(backup.Source, recursive: true);

        var chain = await FollowedAdvice.FollowAsync(
            ["recreate", backup.Remote, "--dbpath", backup.Options.DatabasePath, "--no-encryption", "--json"],
            most: 5
        );

        var text = FollowedAdvice.Text(chain);
        Assert.That(chain[0].Run.Error, Does.Contain("Left out ").And.Contain(SMALL), text);
        Assert.That(
            chain,
            Has.Some.Matches<(string Command, ToolRun Run)>(x => x.Command.StartsWith("purge-broken-files", StringComparison.Ordinal)),
            text
        );
        Assert.That(await RestoredWithoutFolderTimesAsync(backup, 0), Is.EqualTo(expected), text);
        await backup.AssertSoundAsync(text);
    }

    // Hashes of files and blocks differ, so that lists name the block of each small file.
    [Test]
    public async Task A_small_file_without_the_hash_of_its_block_is_left_out()
    {
        using var backup = await MakeAsync(x => x with { FileHash = "MD5", BlockHash = "SHA256" });
        VolumeEdit.RewriteList(
            backup.Volumes("dlist")[1],
            all =>
            {
                Of(all, SMALL).Remove("blockhash");
                Of(all, SMALL).Remove("blocksize");
                Of(all, MEDIUM).Remove("metablockhash");
            }
        );

        var report = await backup.UseRecreatedAsync();

        Assert.That((report.RefusedEntries, report.Problems), Is.EqualTo((2, 0)));
        Assert.That(await RestoredWithoutFolderTimesAsync(backup, 0), Has.Exactly(2).Items);
    }

    [Test]
    public async Task Very_many_of_them_are_told_in_a_few_lines()
    {
        using var backup = await MakeAsync();
        VolumeEdit.RewriteList(
            backup.Volumes("dlist")[1],
            all =>
            {
                for (var i = 0; i < 5_000; i++)
                    all.Insert(
                        0,
                        new JsonObject
                        {
                            ["type"] = "File",
                            ["path"] = $"../{i}",
                            ["hash"] = "x",
                            ["size"] = -i,
                            ["time"] = "?",
                        }
                    );
            }
        );

        var report = await backup.RecreateAsync(backup.File("recreated.sqlite"));

        Assert.That(report.RefusedEntries, Is.EqualTo(5_000));
        Assert.That(backup.Warnings.Texts, Has.Count.LessThan(30).And.Some.Contains("4980 more"));
    }

    [TestCase("/a/..\\x", true)]
    [TestCase("/a\\..\\..\\b", true)]
    [TestCase("/a/b\\..", true)]
    [TestCase("/a/../b", false)]
    [TestCase("/..", false)]
    [TestCase("C:\\a\\..\\b", false)]
    [TestCase("C:/a/../b", false)]
    [TestCase("C:\\a\\b", true)]
    [TestCase("\\\\server\\share\\..\\b", false)]
    [TestCase("\\\\server\\share\\a..b", true)]
    [TestCase("a", false)]
    [TestCase("", false)]
    [TestCase("/a\0b", false)]
    public void A_path_is_judged_by_the_rules_of_its_own_system(string path, bool isGood) =>
        Assert.That(PathCheck.Problem(path) is null, Is.EqualTo(isGood), PathCheck.Problem(path));

    [Test]
    public async Task Names_that_lead_elsewhere_on_other_systems_are_kept_by_a_recreate_and_restored()
    {
        using var backup = new BackupCase();
        foreach (var name in new[] { "..\\x", "a\\..\\..\\b", "C:\\x", "\\\\server\\share" })
            SourceTree.Write(backup.Source, name, 2_000, new Random(name.Length));
        await backup.BackUpAsync();
        Assert.That((await backup.UseRecreatedAsync()).RefusedEntries, Is.Zero);
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
    }

    private static TestCaseData Case(string name, string? lost, Action<JsonObject, JsonArray> change) =>
        new TestCaseData(lost, (Action<JsonArray>)(all => change(lost is null ? [] : Of(all, lost), all))).SetName($"{{m}}({name})");

    private static JsonObject Of(JsonArray all, string name) =>
        all.OfType<JsonObject>().First(x => x["path"]!.GetValue<string>().EndsWith("/source/" + name, StringComparison.Ordinal));

    private static bool IsFile(string described) => described.StartsWith("file", StringComparison.Ordinal);

    private static async Task<IEnumerable<string>> RestoredWithoutFolderTimesAsync(BackupCase backup, long version) =>
        (await backup.RestoredAsync(version)).Where(IsFile);

    // Those with a block of its content, its lists of blocks or its metadata.
    private static HashSet<string> VolumesOf(BackupCase backup, string name) =>
        backup
            .Rows(
                $"""
                WITH "s"("ID") AS (
                    SELECT "f"."BlocksetID" FROM "File" "f" WHERE "f"."Path" LIKE '%/source/{name}'
                    UNION SELECT "m"."BlocksetID" FROM "File" "f" JOIN "Metadataset" "m" ON "m"."ID" = "f"."MetadataID"
                    WHERE "f"."Path" LIKE '%/source/{name}')
                SELECT DISTINCT "v"."Name" FROM "Block" "b" JOIN "Remotevolume" "v" ON "v"."ID" = "b"."VolumeID"
                WHERE "b"."ID" IN (SELECT "BlockID" FROM "BlocksetEntry" WHERE "BlocksetID" IN (SELECT "ID" FROM "s"))
                    OR "b"."Hash" IN (SELECT "Hash" FROM "BlocklistHash" WHERE "BlocksetID" IN (SELECT "ID" FROM "s"))
                """
            )
            .ToHashSet(StringComparer.Ordinal);

    private static async Task<BackupCase> MakeAsync(Func<EngineOptions, EngineOptions>? change = null)
    {
        var backup = new BackupCase(change);
        await backup.BackUpAsync("unchanged", 50_000, 0);
        File.Delete(Path.Combine(backup.Source, "unchanged"));
        SourceTree.Write(backup.Source, SMALL, 1_000, new Random(1));
        SourceTree.Write(backup.Source, "folder/other", 1_000, new Random(2));
        SourceTree.Write(backup.Source, MEDIUM, 40_500, new Random(3));
        await backup.BackUpAsync(LARGE, 102_000, 4);
        return backup;
    }
}
