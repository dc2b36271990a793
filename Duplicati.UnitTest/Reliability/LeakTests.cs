// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Tool;
using SQLitePCL;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// Each operation again and again in one process: open files and the memory of the engine, which holds statements, temporary tables and
/// connections, return to what they were. The long run: see docs/reliability.md.
/// </summary>
[TestFixture]
[NonParallelizable]
[Platform("Linux")]
internal sealed class LeakTests
{
    private const int WarmUp = 1;

    // What the engine keeps for the process: a few allocations of its own that come and go.
    private const long EngineBytes = 64 * 1024;

    private static readonly string[] s_writing =
    [
        "compact $REMOTE",
        "repair $REMOTE",
        "delete $REMOTE --version 1 --yes",
        "purge $REMOTE nothing --yes",
    ];

    [Test]
    public Task Operations_give_back_what_they_take() => RunAsync(1);

    [Test, Explicit("The long run, 1,000 times each operation"), Category(LongRun.Category)]
    public Task Long_run_of_operations_that_give_back_what_they_take() => RunAsync(LongRun.Count(1000));

    private static async Task RunAsync(int times)
    {
        using var tool = new ToolCase();
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
        await RunAllAsync(tool, WarmUp);
        var (files, bytes) = (OpenFiles(), raw.sqlite3_memory_used());
        await RunAllAsync(tool, times);
        var after = OpenFiles();
        var more = after
            .Where(x => x.Value > files.GetValueOrDefault(x.Key))
            .Select(x => $"{x.Key}: {files.GetValueOrDefault(x.Key)}, then {x.Value}")
            .ToList();
        TestContext.Out.WriteLine(
            $"{times} times each: open files {files.Values.Sum()}, then {after.Values.Sum()}; bytes of the engine {bytes}, then {raw.sqlite3_memory_used()}; {string.Join("; ", more)}"
        );
        Assert.That(after.Values.Sum(), Is.LessThanOrEqualTo(files.Values.Sum() + 2), string.Join("; ", more));
        Assert.That(raw.sqlite3_memory_used(), Is.LessThanOrEqualTo(bytes + EngineBytes));
    }

    private static async Task RunAllAsync(ToolCase tool, int times)
    {
        for (var i = 0; i < times; i++)
        {
            await File.WriteAllTextAsync(Path.Combine(tool.Source, "folder", "changing"), $"content {i}");
            Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
            foreach (
                var command in ToolReadingCase.Commands.Where(x =>
                    x.StartsWith("list", StringComparison.Ordinal) || !x.Contains("$OUTPUT", StringComparison.Ordinal)
                )
            )
                await RunAsync(tool, command);
            foreach (var command in s_writing)
                await RunAsync(tool, command + " --dbpath $DB --no-encryption");
            await RunAsync(tool, "vacuum $DB");
            await RunAsync(tool, "restore $REMOTE --dbpath $DB --no-encryption --target $restored --version 0");
            await RunAsync(tool, "recreate $REMOTE --dbpath $new.sqlite --no-encryption --overwrite");
            Directory.Delete(tool["restored"], recursive: true);
        }
    }

    private static async Task RunAsync(ToolCase tool, string command)
    {
        var run = await tool.LineAsync(command);
        Assert.That(run.Code, Is.AnyOf(ExitCode.Ok, ExitCode.Found), $"{command}: {run.Error}");
    }

    // What is open, and how often; numbers in names differ from one socket or pipe to the next.
    private static Dictionary<string, int> OpenFiles()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return Directory
            .GetFileSystemEntries("/proc/self/fd")
            .Select(x => new FileInfo(x).LinkTarget ?? "gone")
            .GroupBy(x => new string([.. x.Where(letter => !char.IsAsciiDigit(letter))]), StringComparer.Ordinal)
            .ToDictionary(x => x.Key, x => x.Count(), StringComparer.Ordinal);
    }
}
