// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.IO.Compression;
using System.Text;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool;
using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Engine.Recreate;

/// <summary>
/// A block volume that is not encrypted has lost its index volume, and a few bytes in it have rotted: its directory tells nothing of that.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class RottenVolumeTests
{
    private const string IS_LIST = """("Block"."Size" > 500 AND "Block"."Hash" IN (SELECT "Hash" FROM "BlocklistHash"))""";

    private const string IS_DATA = """("Block"."Size" > 500 AND "Block"."Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash"))""";

    private const string HASHES = """
        SELECT "Block"."Hash" FROM "Block" JOIN "Remotevolume" ON "Remotevolume"."ID" = "Block"."VolumeID" WHERE "Remotevolume"."Name" =
        """;

    [Test]
    public async Task What_is_rotten_in_it_is_taken_from_the_source_again([Values] bool isList)
    {
        using var tool = new ToolCase();
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
        Rot(tool.Remote, tool.Database, isList);
        File.Delete(tool.Database);

        var chain = await FollowedAdvice.FollowAsync(Words("recreate"), most: 5);
        // So that they are read again.
        foreach (var file in Directory.GetFiles(tool.Source, "*", SearchOption.AllDirectories))
            File.SetLastWriteTimeUtc(file, DateTime.UtcNow.AddHours(-1));
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero, FollowedAdvice.Text(chain));
        var expected = SourceTree.Describe(tool.Source);
        Directory.Delete(tool.Source, recursive: true);

        var target = tool["restored"];
        Assert.That((await tool.RunAsync("restore", "--target", target)).Code, Is.Zero, FollowedAdvice.Text(chain));
        Assert.That(SourceTree.Describe(target), Is.EqualTo(expected), FollowedAdvice.Text(chain));
        chain.AddRange(await FollowedAdvice.FollowAsync(Words("check", "--deep"), most: 5));
        Assert.That((await tool.RunAsync("check", "--deep")).Code, Is.EqualTo(ExitCode.Ok), FollowedAdvice.Text(chain));

        string[] Words(params string[] more) =>
            [more[0], tool.Remote, "--dbpath", tool.Database, "--no-encryption", "--json", .. more[1..]];
    }

    [Test]
    public async Task All_but_what_is_rotten_is_known_and_the_volume_does_not_pass_for_whole()
    {
        using var backup = await BackupCase.MadeAsync();
        var volume = Rot(backup.Remote, backup.Options.DatabasePath, isList: false);
        using var zip = ZipFile.OpenRead(Path.Combine(backup.Remote, volume));
        var recreated = backup.File("recreated.sqlite");

        BackupCase.Refused("DatabaseIsBrokenConsiderPurge", () => backup.RecreateAsync(recreated));
        Assert.That(backup.Warnings.Texts, Has.Some.Contains($"Failed to process {volume}"));
        Assert.That(
            SampleDatabase.Rows(recreated, $"{HASHES} '{volume}'"),
            Has.Length.EqualTo(zip.Entries.Count - 2),
            "all but the manifest and the rotten one"
        );
        Assert.That(
            SampleDatabase.Rows(recreated, $"""SELECT COALESCE("Hash", '') FROM "Remotevolume" WHERE "Name" = '{volume}'"""),
            Is.EqualTo(new[] { "" })
        );
    }

    [Test]
    public async Task Without_any_list_the_next_backup_takes_nothing_that_is_rotten_for_known()
    {
        using var backup = await BackupCase.MadeAsync();
        Rot(backup.Remote, backup.Options.DatabasePath, isList: false);
        foreach (var list in backup.Volumes("dlist"))
            File.Delete(list);

        var report = await backup.UseRecreatedAsync();

        await backup.BackUpAsync();
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
        Assert.That(report.Problems, Is.EqualTo(1));
    }

    /// <summary>Takes the index volume of a block volume away, and changes a byte in the middle of one of its blocks.</summary>
    /// <returns>The block volume.</returns>
    private static string Rot(string remote, string database, bool isList)
    {
        foreach (var index in VolumeFiles.Of(remote, "dindex"))
        {
            var volume = VolumeEdit.Described(index).Volume;
            var hashes = SampleDatabase.Rows(database, $"{HASHES} '{volume}' AND {(isList ? IS_LIST : IS_DATA)}");
            if (!hashes.Any(x => TryRot(Path.Combine(remote, volume), HashEncoding.ToEntryName(x))))
                continue;
            File.Delete(index);
            return volume;
        }

        throw new InvalidOperationException("no volume holds such a block");
    }

    // Not one that is packed to almost nothing.
    private static bool TryRot(string volume, string entry)
    {
        using (var zip = ZipFile.OpenRead(volume))
        {
            if (zip.GetEntry(entry)!.CompressedLength < 400)
                return false;
        }

        var bytes = File.ReadAllBytes(volume);
        // Its own header comes before the directory.
        var name = bytes.AsSpan().IndexOf(Encoding.ASCII.GetBytes(entry));
        var extra = BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(name - 2));
        VolumeEdit.Flip(volume, name + entry.Length + extra + 200);
        return true;
    }
}
