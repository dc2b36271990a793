// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Benchmarks.Processes;
using Duplicati.Tool;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// Each operation of the tool under the preset small, in a process of its own that says how much memory it had at most. The long run: see
/// docs/reliability.md.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class MemoryCapTests
{
    private const long Cap = 256L * 1024 * 1024;
    private const int BlockBytes = 1024;
    private const int BlocksAFile = 4000;

    private static readonly string[] s_database = ["list", "list --version 0", "search folder", "changes", "check"];

    private static readonly string[] s_remote =
    [
        "verify",
        "test --samples 5",
        "list-broken-files",
        "delete --version 1 --yes",
        "compact --threshold 1",
    ];

    [Test]
    public void A_backup_and_a_recreate_stay_within_the_memory_of_the_preset_small() => Run(8000, isWhole: false);

    [Test, Explicit("The long run, 5 million blocks, about an hour"), Category(LongRun.Category)]
    public void Long_run_of_operations_in_little_memory() => Run(LongRun.Count(5_000_000), isWhole: true);

    private static void Run(int blocks, bool isWhole)
    {
        using var folder = new TestFolder();
        var (source, remote, database) = (folder.File("source"), folder.File("remote"), folder.File("backup.sqlite"));
        string[] access = ["--dbpath", database, "--no-encryption"];
        var files = Math.Max(4, blocks / BlocksAFile);
        Peak(
            [
                "generate",
                source,
                "--total",
                Number((long)blocks * BlockBytes),
                "--files",
                files.ToString(CultureInfo.InvariantCulture),
                "--max-file",
                Number(BlockBytes * BlocksAFile * 4L),
            ],
            isSmall: false,
            isLimited: false
        );
        string[] backup = ["backup", remote, source, "--blocksize", Number(BlockBytes), "--dblock-size", "50mb", .. access];
        Peak(backup);
        if (isWhole)
        {
            File.WriteAllText(Path.Combine(source, "new"), "new");
            Peak(backup);
            RunOthers(remote, database, access);
            Peak(["info", database], isSmall: false);
            Peak(["vacuum", database], isSmall: false);
            Peak(["restore", remote, "--target", folder.File("restored"), "--version", "0", .. access]);
        }

        Peak(["recreate", remote, "--dbpath", folder.File("new.sqlite"), "--no-encryption"]);
    }

    private static void RunOthers(string remote, string database, string[] access)
    {
        foreach (var command in s_database)
        {
            string[] words = command.Split(' ');
            Peak([words[0], .. words[1..], "--dbpath", database]);
        }

        foreach (var command in s_remote)
        {
            string[] words = command.Split(' ');
            Peak([words[0], remote, .. words[1..], .. access]);
        }
    }

    private static string Number(long bytes) => bytes.ToString(CultureInfo.InvariantCulture) + "b";

    private static void Peak(string[] words, bool isSmall = true, bool isLimited = true)
    {
        string[] preset = isSmall ? ["--preset", "small"] : [];
        var (code, output, error) = ChildProcess.Run<PeakChild>([.. words, .. preset]);
        Assert.That(code, Is.Zero, $"{string.Join(' ', words)}: {error}");
        var peak = long.Parse(output.Split('\n', StringSplitOptions.RemoveEmptyEntries)[^1], CultureInfo.InvariantCulture);
        TestContext.Progress.WriteLine($"{words[0]}: {peak >> 20} MiB");
        TestContext.Out.WriteLine($"{words[0]}: {peak >> 20} MiB");
        if (isLimited)
            Assert.That(peak, Is.LessThan(Cap), words[0]);
    }

    /// <summary>Runs the tool and prints the most memory that it had, in bytes.</summary>
    private sealed class PeakChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            var start = new System.Diagnostics.ProcessStartInfo(ChildProcess.Host, ["exec", typeof(ToolRoot).Assembly.Location, .. args]);
            var result = ProcessTree.RunAsync(start).GetAwaiter().GetResult();
            Console.Out.WriteLine();
            Console.Out.WriteLine(result.PeakBytes);
            return result.ExitCode;
        }
    }
}
