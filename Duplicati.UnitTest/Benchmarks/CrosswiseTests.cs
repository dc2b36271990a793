// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Crosswise;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Two programs with Duplicati's command line and each other's backups.</summary>
[TestFixture]
public class CrosswiseTests : FolderTestBase
{
    [Test]
    public async Task A_backup_is_recreated_tested_restored_and_continued_by_another_and_taken_back()
    {
        var row = await BackupOfAnother.RunAsync(await PairAsync(true), default);

        AssertGood(row);
        Assert.That((row.Volumes, row.First, row.Second), Is.EqualTo(("AES", "a", "b")));
        Assert.That(
            row.Cells.Select(cell => cell.What),
            Is.EqualTo(new[] { "backup", "recreate", "same content", "test", "restore", "continue", "taken back" })
        );
        Assert.That(Directory.EnumerateFiles(Folder.File("pair/remote")), Is.All.EndsWith(".aes"));
    }

    [Test]
    public async Task A_database_goes_from_hand_to_hand_also_after_kills()
    {
        var row = await HandToHand.RunAsync(await PairAsync(false), default);

        AssertGood(row);
        Assert.That(
            row.Cells.Select(cell => cell.What),
            Is.EqualTo(
                new[]
                {
                    "first backup",
                    "changed",
                    "changed killed",
                    "list",
                    "list killed",
                    "delete",
                    "delete killed",
                    "compact",
                    "compact killed",
                    "restore",
                }
            )
        );
        Assert.That(row.Kills, Is.EqualTo(4));
        Assert.That(row.Hits, Is.InRange(1, 4));
    }

    [Test]
    public async Task What_goes_wrong_is_told_and_what_needs_it_is_not_tried()
    {
        var options = StandInPeers.Options(Folder);
        var broken = new PeerOptions("changed", ["--dbpath=" + Folder.File("no folder/here/local.sqlite")]);
        options = options with { Peers = [options.Peers[0] with { Options = [broken] }, options.Peers[1]] };
        using var stop = new CancellationTokenSource();
        using var output = new StringWriter();
        using var log = new StoppingWriter("plain, b with the backup of a: taken back", stop);

        Assert.That(await EndToEndCommand.CrossAsync(options, "e2e --cross", output, log, stop.Token), Is.EqualTo(ExitCodes.Interrupted));

        var text = await File.ReadAllTextAsync(Path.Combine(options.Output, "cross.md"));
        foreach (var written in (string[])[text, output.ToString()])
        {
            Assert.That(written, Does.Contain("0 of 7 are as they should be"));
            Assert.That(written, Does.Match(@"\| plain +\| a +\| b +\| NO +(\| – +){6}\|"));
            Assert.That(written, Does.Contain("a, backup 10 % changed: ended with exit code 100"));
        }

        Assert.That(Directory.Exists(options.Work), Is.True, "a failure keeps it");
    }

    [Test]
    public async Task Databases_of_other_content_and_damaged_volumes_are_found()
    {
        var pair = await PairAsync(false);
        var (one, other) = (Step(pair, "one"), Step(pair, "other"));
        foreach (var step in (Step[])[one, other])
        {
            Assert.That((await pair.First.RunAsync(TimedOperation.Backup, step, default)).Wrong, Is.Empty);
            Assert.That(await pair.CheckAsync(step, default), Is.Empty);
            pair.ChangeTree(0);
        }

        Assert.That(await CrossPair.CompareAsync(one.Database, other.Database, default), Is.Not.Empty);
        Assert.That(
            await pair.RestoreAsync(pair.Second, one, "restored", default),
            Has.Count.EqualTo(1).And.One.Contains("differs"),
            "the files have changed since"
        );

        File.Delete(Directory.EnumerateFiles(one.Remote, "*.dblock.*").First());
        Assert.That(await pair.CheckAsync(one, default), Is.Not.Empty);
    }

    [Test]
    public async Task A_restored_tree_is_that_of_the_source()
    {
        var (source, restored) = (Folder.File("source"), Folder.File("restored"));
        Directory.CreateDirectory(Path.Combine(source, "d"));
        await File.WriteAllTextAsync(Path.Combine(source, "d", "a"), "content");
        Assert.That(TreeManifest.Difference(source, restored), Is.EqualTo("Nothing was restored."));

        await ChangedTree.CopyAsync(source, restored, default);
        Assert.That(TreeManifest.Difference(source, restored), Is.Null);
        foreach (var (name, text, what) in new[] { ("a", "CONTENT", "should be"), ("b", "content", "should not be there") })
        {
            await File.WriteAllTextAsync(Path.Combine(restored, "d", name), text);
            Assert.That(TreeManifest.Difference(source, restored), Does.Contain($"differs: {Path.Combine("d", name)} {what}"));
            await File.WriteAllTextAsync(Path.Combine(restored, "d", "a"), "content");
        }

        File.Delete(Path.Combine(restored, "d", "a"));
        Assert.That(TreeManifest.Difference(source, restored), Does.Contain("is missing"));
    }

    private static Step Step(CrossPair pair, string name)
    {
        Directory.CreateDirectory(Path.Combine(pair.Folder, name));
        return new Step(Path.Combine(pair.Folder, name, "remote"), Path.Combine(pair.Folder, name, "local.sqlite"), pair.Tree);
    }

    private static void AssertGood(CrossRow row) =>
        Assert.That(
            row.Cells.Where(cell => cell.Outcome != CrossOutcome.Good).Select(cell => $"{cell.What}: {string.Join(' ', cell.Lines)}"),
            Is.Empty
        );

    private async Task<CrossPair> PairAsync(bool isEncrypted)
    {
        var options = StandInPeers.Options(Folder) with { IsEncrypted = isEncrypted };
        var place = Folder.File("pair");
        var pair = new CrossPair(
            new CrossProgram(options.Peers[0], options, place),
            new CrossProgram(options.Peers[1], options, place),
            options,
            place,
            TextWriter.Null
        );
        await SourceData.MakeAsync(options, pair.Tree, TextWriter.Null, default);
        return pair;
    }
}
