// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Stress.Operations;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// Several processes work on one backup at the same time, by the command <c>stress operations</c>. The long runs:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~SharedDatabaseTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class SharedDatabaseTests
{
    private const int Endless = int.MaxValue;

    [TestCase(2, 8, Endless)]
    [TestCase(2, Endless, 60, Explicit = true, Category = LongRun.Category)]
    [TestCase(4, Endless, 60, Explicit = true, Category = LongRun.Category)]
    [TestCase(4, Endless, 600, Explicit = true, Category = LongRun.Category)]
    public async Task No_operation_fails_and_nothing_is_inconsistent(int processes, int operations, int seconds)
    {
        var seed = LongRun.Seed();
        using var folder = new TestFolder();
        SourceTree.Make(folder.File("tree"), new Random(seed));
        var options = new SharedOptions(processes, operations, DateTime.UtcNow.AddSeconds(seconds), seed, folder.Path)
        {
            Source = folder.File("tree"),
        };

        var result = await new SharedRun(options, TestContext.Out).RunAsync(default);

        TestContext.Out.WriteLine(result.Text);
        Assert.That(result.Wrong, Is.Empty);
        Assert.That(result.Counts.Values.Sum(), Is.GreaterThanOrEqualTo(processes));
    }
}
