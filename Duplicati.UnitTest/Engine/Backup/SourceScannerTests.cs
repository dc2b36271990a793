// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Backup;
using Duplicati.Engine.Configuration;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Engine.Backup;

/// <summary>Everything that was given is listed once, or told by its path; nothing stops the listing.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class SourceScannerTests : FolderTestBase
{
    private readonly List<(string Path, string Reason)> m_skipped = [];

    [SetUp]
    public void SetUp() => m_skipped.Clear();

    [TearDown]
    // The runtime cannot delete what it has no path for.
    public void TearDown() => Shell("rm -rf ./*");

    [TestCase("top top/link/sub", "top/ top/link/ top/link/sub/ top/link/sub/f", Description = "below a link of another source")]
    [TestCase("top/link/sub top", "top/ top/link/ top/link/sub/ top/link/sub/f", Description = "in another order")]
    [TestCase("real real/sub real/sub/f", "real/ real/sub/ real/sub/f", Description = "reached from above")]
    [TestCase("top/link/sub top/link/sub/f top", "top/ top/link/ top/link/sub/ top/link/sub/f", Description = "one below another")]
    [TestCase("real/sub real/sub/ real/../real/sub", "real/sub/ real/sub/f", Description = "the same in other words")]
    public void A_source_below_another_one_is_listed_once(string sources, string expected)
    {
        Directory.CreateDirectory(Folder.File("real/sub"));
        Directory.CreateDirectory(Folder.File("top"));
        File.WriteAllText(Folder.File("real/sub/f"), "precious");
        File.CreateSymbolicLink(Folder.File("top/link"), "../real");

        Assert.That(Scan(sources.Split(' ')), Is.EquivalentTo(expected.Split(' ')));
    }

    [Test]
    public void A_source_in_a_folder_that_is_left_out_is_listed()
    {
        Directory.CreateDirectory(Folder.File("n/a/b"));
        File.WriteAllText(Folder.File("n/a/b/f"), "precious");

        Assert.That(
            Scan(["n", "n/a/b"], new FilterExpression("*/a/", result: false)),
            Is.EquivalentTo(new[] { "n/", "n/a/b/", "n/a/b/f" })
        );
    }

    // As one on a server that is off, which would never answer: neither is there.
    [TestCase("*/nas/", true)]
    [TestCase("*/mounts/", true, Description = "a folder on the way to it")]
    [TestCase("*/nas", false, Description = "a file of that name")]
    public void Whether_a_folder_is_left_out_is_told_without_looking_at_it(string pattern, bool expected) =>
        Assert.That(
            Scanner(new FilterExpression(pattern, result: false)).LeavesOut(Folder.Path, Folder.File("mounts/nas")),
            Is.EqualTo(expected)
        );

    [TestCase("printf a > 'x\uFFFD'; printf b > $'x\\xff'", "x\uFFFD", 1)]
    [TestCase("mkdir 'x\uFFFD'; printf b > $'x\\xff'", "x\uFFFD/", 1)]
    [TestCase("mkdir 'x\uFFFD'; mkdir $'x\\xff'; touch $'x\\xff/y'", "x\uFFFD/", 1)]
    [TestCase("touch $'x\\xff' $'x\\xfe'", "", 2)]
    public void Of_names_that_look_alike_the_one_that_is_text_is_listed(string make, string listed, int skipped)
    {
        Shell(make);

        Assert.That(Scan(["."]).Skip(1), Is.EqualTo(listed.Split('|', StringSplitOptions.RemoveEmptyEntries)));
        Assert.That(m_skipped.Select(x => x.Reason), Has.Exactly(skipped).Contain("not UTF-8"));
    }

    [Test]
    public void What_lies_deeper_than_a_path_can_say_is_told()
    {
        var name = new string('d', 200);
        Shell(
            $"mkdir deep; cd -P deep; for i in $(seq 20); do mkdir {name}; cd -P {name}; done; mkdir {new string('e', 200)} {new string('g', 200)}"
        );

        var listed = Scan(["deep"]);

        Assert.That(listed, Has.Count.GreaterThan(10));
        Assert.That(listed, Is.All.StartWith("deep/"));
        Assert.That(m_skipped.Select(x => x.Path), Is.Not.Empty.And.All.Contains($"/deep/{name}/"));
    }

    [TestCase("@300000000000")]
    [TestCase("@-90000000000")]
    public void A_time_that_is_none_is_told(string time)
    {
        var file = Path.Combine("/dev/shm", Path.GetRandomFileName());
        try
        {
            Shell($"echo a > {file}; touch -d {time} {file}");
            if (Shell($"stat -c @%Y {file}").Trim() != time)
                Assert.Ignore("The file system has no such times.");

            Assert.That(Scan([file]), Is.Empty);
            Assert.That(m_skipped.Single().Path, Is.EqualTo(file));
            Assert.That(m_skipped.Single().Reason, Does.Contain("year 9999"));
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Test]
    public void A_link_to_what_is_not_text_is_told()
    {
        Shell("ln -s $'inv\\xff' a; ln -s 'inv\uFFFD' b; ln -s nowhere c");

        Assert.That(Scan(["."]).Skip(1), Is.EqualTo(new[] { "b", "c" }));
        Assert.That(Path.GetFileName(m_skipped.Single().Path), Is.EqualTo("a"));
    }

    private List<string> Scan(string[] sources, IFilter? exclusions = null)
    {
        var scanner = Scanner(exclusions ?? new FilterExpression());
        return
        [
            .. scanner
                .Scan(scanner.Require([.. sources.Select(Folder.File)]))
                .Select(x => x.Path.Replace(Folder.Path + "/", "", StringComparison.Ordinal)),
        ];
    }

    private SourceScanner Scanner(IFilter exclusions) =>
        new(
            (path, reason, _) => m_skipped.Add((path, reason)),
            exclusions,
            new OwnFiles(new EngineOptions { Remote = Folder.File("remote"), DatabasePath = Folder.File("me.sqlite") })
        );

    private string Shell(string script)
    {
        var (code, output, error) = ChildProcess.Run("bash", "-c", $"cd '{Folder.Path}'; {script}");
        Assert.That(code, Is.Zero, error);
        return output;
    }
}
