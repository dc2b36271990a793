// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Security.Cryptography;
using System.Text.Json;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Find;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Tool.Finding;

/// <summary>What <c>find</c> says of blocks, files, volumes and versions is what lies in the volumes and in the files.</summary>
[TestFixture]
internal sealed class FindTests
{
    private ToolCase m_tool = null!;

    [OneTimeSetUp]
    public async Task MakeBackup()
    {
        m_tool = new ToolCase();
        // More blocks than go into one list, twice.
        SourceTree.Write(m_tool.Source, "large", 100_000, new Random(5));
        File.Copy(Path.Combine(m_tool.Source, "large"), Path.Combine(m_tool.Source, "twin"));
        Assert.That((await m_tool.BackUpAsync()).Code, Is.Zero);
        SourceTree.Write(m_tool.Source, "folder/1", 20_000, new Random(6));
        SourceTree.Write(m_tool.Source, "folder/new", 700, new Random(7));
        Assert.That((await m_tool.BackUpAsync()).Code, Is.Zero);
    }

    [OneTimeTearDown]
    public void RemoveBackup() => m_tool.Dispose();

    // As of a letter that is altered on the disk.
    [Test]
    public async Task A_list_of_blocks_whose_hash_is_none_is_told_at_its_offset()
    {
        var database = m_tool["altered.sqlite"];
        File.Copy(m_tool.Database, database);
        Databases.Execute(
            database,
            """
            UPDATE "Block" SET "Hash" = '*' || substr("Hash", 2) WHERE "Hash" IN (SELECT "Hash" FROM "BlocklistHash" WHERE "Index" = 1);
            UPDATE "BlocklistHash" SET "Hash" = '*' || substr("Hash", 2) WHERE "Index" = 1
            """
        );

        var run = await m_tool.LineAsync("find --dbpath $altered.sqlite --limit all --json --path", Path.Combine(m_tool.Source, "large"));

        Assert.That(run.Code, Is.Zero, run.Output);
        Assert.That(
            Uses(run).Where(x => x.Block.StartsWith('*')).Select(x => (x.Role, x.Offset)),
            Is.EqualTo(new[] { ("List", 32 * 1024L) })
        );
    }

    [TestCase("large")]
    [TestCase("folder/1")]
    [TestCase("folder/new")]
    public async Task What_is_said_of_a_file_is_what_lies_in_it_and_in_the_volumes(string name)
    {
        var path = Path.Combine(m_tool.Source, name);
        var content = await File.ReadAllBytesAsync(path);
        var run = await FindAsync("--path", path, "--limit", "all");
        var hash = Convert.ToBase64String(SHA256.HashData(content));
        Assert.That(
            run.Json.GetProperty("found").GetProperty("contents").EnumerateArray().Select(x => x.GetProperty("hash").GetString()),
            Has.Member(hash)
        );

        var uses = Uses(run).Where(x => x.Versions.StartsWith('0')).ToList();
        var blocks = uses.Where(x => x.Role == "Content").OrderBy(x => x.Offset).ToList();
        Assert.That(blocks.Sum(x => x.Size), Is.EqualTo(content.Length));
        foreach (var use in blocks)
            Assert.That(use.Block, Is.EqualTo(Hash(content.AsSpan((int)use.Offset, (int)use.Size))), $"{use}");
        foreach (var use in uses.Where(x => x.Role == "List"))
            Assert.That(
                InVolume(use),
                Is.EqualTo(
                    blocks
                        .SkipWhile(x => x.Offset < use.Offset)
                        .Take((int)use.Size / 32)
                        .SelectMany(x => Convert.FromBase64String(x.Block))
                        .ToArray()
                ),
                $"{use}"
            );
        Assert.That(uses.Count(x => x.Role == "List"), Is.EqualTo(blocks.Count == 1 ? 0 : (blocks.Count + 31) / 32));
        foreach (var use in uses)
            Assert.That(Hash(InVolume(use)), Is.EqualTo(use.Block), $"{use}");

        var byHash = Uses(await FindAsync("--file-hash", hash, "--limit", "all"));
        Assert.That(byHash.Where(x => x.Path == path && x.Role != "Metadata"), Is.EquivalentTo(uses.Where(x => x.Role != "Metadata")));
    }

    [Test]
    public async Task From_every_side_the_same_uses_are_found()
    {
        var all = new HashSet<FoundLine>();
        for (var version = 0; version < 2; version++)
            all.UnionWith(Uses(await FindAsync("--version", $"{version}", "--limit", "all")));
        Assert.That(all.Select(x => x.Role).Distinct(), Is.EquivalentTo(new[] { "Content", "List", "Metadata" }));

        var inVolumes = new HashSet<FoundLine>();
        foreach (var volume in Directory.GetFiles(m_tool.Remote, "*.dblock.*").Select(Path.GetFileName))
            inVolumes.UnionWith(Uses(await FindAsync("--volume", volume!, "--limit", "all")));
        Assert.That(inVolumes, Is.EquivalentTo(all));

        foreach (
            var alike in all.GroupBy(x => x.Block)
                .Where((_, number) => number % 40 == 0)
                .Concat(all.GroupBy(x => x.Block).Where(x => x.Any(y => y.Role == "List")).Take(3))
        )
            Assert.That(Uses(await FindAsync("--block", alike.Key, "--limit", "all")), Is.EquivalentTo(alike), alike.Key);
    }

    [Test]
    public async Task A_volume_is_told_with_its_version_or_with_those_it_is_linked_to()
    {
        var lists = Directory.GetFiles(m_tool.Remote, "*.dlist.*").Select(x => Path.GetFileName(x)!).Order(StringComparer.Ordinal).ToList();
        Assert.That(
            (await FindAsync("--volume", lists[0])).Json.GetProperty("found").GetProperty("volume").GetProperty("version").GetInt64(),
            Is.EqualTo(1)
        );
        var index = Path.GetFileName(Directory.GetFiles(m_tool.Remote, "*.dindex.*")[0]);
        var block = Linked(await FindAsync("--volume", index)).Single();
        Assert.That(block, Does.Contain(".dblock."));
        Assert.That(Linked(await FindAsync("--volume", block)), Is.EqualTo(new[] { index }));

        static IEnumerable<string> Linked(ToolRun run) =>
            run.Json.GetProperty("found").GetProperty("volume").GetProperty("linked").EnumerateArray().Select(x => x.GetString()!);
    }

    [Test]
    public async Task Not_more_is_given_than_the_limit_and_it_is_said_that_there_is_more()
    {
        var path = Path.Combine(m_tool.Source, "large");
        var run = await FindAsync("--path", path, "--limit", "3");
        Assert.That((Uses(run).Count, run.Flag("more")), Is.EqualTo((3, true)));
        var text = await ToolRun.RunAsync("find", "--dbpath", m_tool.Database, "--path", path, "--limit", "3");
        Assert.That(text.Output, Does.Contain("3 uses, and more; --limit all gives all.").And.Contain("Content "));
        Assert.That((await FindAsync("--path", path, "--limit", "all")).Flag("more"), Is.False);
    }

    [Test]
    public async Task A_folder_is_found_with_and_without_a_separator_at_its_end()
    {
        var folder = Path.Combine(m_tool.Source, "folder");
        var uses = Uses(await FindAsync("--path", folder));
        Assert.That(uses.Select(x => x.Role), Is.Not.Empty.And.All.EqualTo("Metadata"));
        Assert.That(Uses(await FindAsync("--path", folder + Path.DirectorySeparatorChar)), Is.EqualTo(uses));
    }

    [TestCase("--block", "AAAA", "BlockNotInDatabase")]
    [TestCase("--file-hash", "AAAA", "ContentNotInDatabase")]
    [TestCase("--volume", "duplicati-b0.dblock.zip", "VolumeNotInDatabase")]
    [TestCase("--path", "/no/such/file", "PathNotInDatabase")]
    [TestCase("--version", "2", "InvalidVersion")]
    public async Task What_the_database_does_not_know_is_said_with_a_help_id(string option, string value, string helpId)
    {
        var run = await m_tool.QueryAsync("find", option, value);
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, helpId)), run.Error);
        Assert.That(run.Error, Does.Contain(value));
    }

    [TestCase]
    [TestCase("--block", "x", "--path", "y")]
    [TestCase("--path", "y", "--limit", "0")]
    public async Task One_thing_is_looked_for(params string[] words) =>
        Assert.That((await ToolRun.RunAsync(["find", "--dbpath", "x", .. words])).Code, Is.EqualTo(ExitCode.Usage));

    private Task<ToolRun> FindAsync(params string[] words) => ToolRun.OkAsync(m_tool.QueryAsync("find", words));

    private static List<FoundLine> Uses(ToolRun run) =>
        [.. run.Items("uses").Select(x => x.Deserialize<FoundLine>(JsonSerializerOptions.Web)!)];

    private byte[] InVolume(FoundLine use)
    {
        using var zip = ZipFile.OpenRead(Path.Combine(m_tool.Remote, use.Volume));
        return GoldenVolumesTests.Content(zip, use.Block.Replace('+', '-').Replace('/', '_'));
    }

    private static string Hash(ReadOnlySpan<byte> bytes) => Convert.ToBase64String(SHA256.HashData(bytes));

    private sealed record FoundLine(string Path, string Versions, string Role, long Offset, string Block, long Size, string Volume);
}

/// <summary>What is asked about blocks, files and volumes goes by indexes.</summary>
[TestFixture]
internal sealed class FindPlanTests
{
    // A row a volume, a version, or a transfer of the last month.
    private static readonly string[] s_small = ["Remotevolume", "Fileset", "RemoteOperation", "IndexBlockLink"];

    private static IEnumerable<TestCaseData> Statements =>
        from constant in SqlConstants.In(typeof(BlockUses).Assembly)
        where constant.Type.Namespace == typeof(BlockUses).Namespace && constant.Type != typeof(DataFolder)
        select new TestCaseData(constant.Sql).SetArgDisplayNames(constant.Name);

    [TestCaseSource(nameof(Statements))]
    public void A_statement_reads_no_large_table_whole(string sql)
    {
        using var database = new SampleDatabase();
        using var connection = SQLiteLoader.LoadConnection(database.Close());
        var plan = DumpQuery.Rows(connection, "EXPLAIN QUERY PLAN " + sql, row => row.GetString(3)).ToList();
        Assert.That(plan, Is.Not.Empty);
        Assert.That(plan.Where(x => x.Contains("AUTOMATIC", StringComparison.Ordinal)), Is.Empty);
        Assert.That(
            plan.Where(x => x.StartsWith("SCAN ", StringComparison.Ordinal)).Select(x => x.Split(' ')[1]).Except(s_small),
            Is.Empty,
            string.Join('\n', plan)
        );
    }
}
