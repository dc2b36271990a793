using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// Several processes work on one backup at the same time. The long runs:
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
        var seed = Environment.TickCount;
        TestContext.Out.WriteLine($"Seed {seed}");
        using var backup = new BackupCase();
        SourceTree.Make(backup.Source, new Random(seed));
        await backup.BackUpAsync();

        var lines = new List<string>();
        foreach (var output in await Task.WhenAll(Enumerable.Range(0, processes).Select(i => Task.Run(() => RunChild(backup, i, seed + i, operations, seconds)))))
            lines.AddRange(output);

        TestContext.Out.WriteLine(string.Join(", ", lines.GroupBy(x => x.Split(':')[0]).OrderBy(x => x.Key, StringComparer.Ordinal).Select(x => $"{x.Count()} {x.Key}")));
        Assert.That(lines.Where(x => !x.EndsWith(": ", StringComparison.Ordinal)), Is.Empty);
        await backup.AssertSoundAsync("at the end");
        await backup.AssertRecreateEqualsAsync("at the end");
        Assert.That(Directory.GetFiles(Path.GetDirectoryName(backup.Options.DatabasePath)!, "*.lock"), Is.Empty);
    }

    private static string[] RunChild(BackupCase backup, int number, int seed, int operations, int seconds)
    {
        var source = backup.File($"source-{number}");
        Directory.CreateDirectory(source);
        var (code, output, error) = ChildProcess.Run<OperationsChild>(backup.Options.Remote, backup.Options.DatabasePath, source, $"{seed}", $"{operations}", $"{seconds}");
        Assert.That(error, Is.Empty);
        Assert.That(code, Is.Zero);
        return output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }
}
