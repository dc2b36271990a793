// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool.Following;

/// <summary>
/// Every operation of several steps fails at one of them. Whoever does then what its message says, to the letter, has exactly the versions
/// that were wanted, and all can be
/// restored. Every step: <c>dotnet test Duplicati.UnitTest -c Release --filter
/// "TestCategory=Long&amp;FullyQualifiedName~AdviceStepsTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
[NonParallelizable]
internal sealed class AdviceStepsTests
{
    private const string Operations =
        "delete|delete by rule|purge|purge all|compact|backup|repair|purge-broken-files|recreate|restore|vacuum|upgrade";
    private const int MostAdvice = 3;

    private InterruptedCase m_case = null!;

    private static string[] All => Operations.Split('|');

    [OneTimeSetUp]
    public async Task Make() => m_case = await InterruptedCase.CreateAsync();

    [OneTimeTearDown]
    public void Remove() => m_case.Dispose();

    [Test]
    public Task Following_the_advice_after_a_failure_loses_nothing([ValueSource(nameof(All))] string operation, [Values] FaultKind kind) =>
        FailAsync(operation, kind, 2);

    [Test]
    [Explicit]
    [Category(LongRun.Category)]
    public Task Following_the_advice_after_a_failure_at_any_step_loses_nothing(
        [ValueSource(nameof(All))] string operation,
        [Values] FaultKind kind
    ) => FailAsync(operation, kind, LongRun.Count(int.MaxValue));

    private async Task FailAsync(string operation, FaultKind kind, int times)
    {
        var (steps, longest) = (await CountAsync(operation, kind), 0);
        times = Math.Min(times, steps);
        for (var i = 0; i < times; i++)
        {
            // The last ones of so many parts, as most of what is done is done for good near the end.
            var at = (int)((long)steps * (i + 1) / times);
            await m_case.BeginAsync(operation);
            longest = Math.Max(longest, await FailAsync(operation, kind, at, m_case.Wanted(operation)));
            Directory.Delete(m_case.Folder, recursive: true);
        }

        TestContext.Out.WriteLine($"{operation}, {kind}: {times} of {steps} steps, longest chain of advice {longest}");
    }

    private async Task<int> CountAsync(string operation, FaultKind kind)
    {
        await m_case.BeginAsync(operation);
        var wanted = m_case.Wanted(operation);
        using var fault = new StepFault(m_case.Folder, kind, int.MaxValue, static () => { });
        var run = await ToolRun.RunAsync(m_case.Operation(operation, "--version", "1"));
        var steps = fault.Steps;
        fault.Dispose();
        Assert.That(run.Code, Is.Zero, run.Error);
        await AssertAsync(operation, wanted, "undisturbed");
        return steps;
    }

    private async Task<int> FailAsync(string operation, FaultKind kind, int at, IReadOnlyList<string[]> wanted)
    {
        var when = $"{operation}, {kind} at step {at}";
        var (dead, middle) = (m_case.Folder + "-dead", Time());
        ToolRun run;
        int steps;
        using (var fault = new StepFault(m_case.Folder, kind, at, () => m_case.CopyTo(dead)))
        {
            run = await ToolRun.RunAsync(null, fault.Token, m_case.Operation(operation, "--version", "1"));
            steps = fault.Steps;
        }

        // The last steps may not be reached: on a loaded machine there are fewer than when they were counted.
        if (kind == FaultKind.Kill && !Directory.Exists(dead))
            Assert.That((steps < at, run.Code), Is.EqualTo((true, ExitCode.Ok)), when);
        if (kind == FaultKind.Kill && Directory.Exists(dead))
        {
            Directory.Delete(m_case.Folder, recursive: true);
            m_case.Use(dead);
            run = await ToolRun.RunAsync(m_case.Words("check", "--quick"));
            when += $": {run.Error}{run.Output}";
        }
        else
        {
            when += $": exit {run.Code}: {run.Error}";
            Assert.That(run.Code, Is.Not.EqualTo(ExitCode.Internal), when);
        }

        List<(string Command, ToolRun Run)> chain = [];
        if (FollowedAdvice.Of(run) is { } next)
            chain = await FollowedAdvice.FollowAsync(next, MostAdvice - 1);
        when += $"\n{FollowedAdvice.Text(chain)}";
        // Whoever killed or interrupted a command knows himself that it is not done; versions are named by their times.
        if (kind is FaultKind.Kill or FaultKind.Cancel)
        {
            var again = await ToolRun.RunAsync(m_case.Operation(operation, "--time", middle));
            when += $"\nagain: exit {again.Code}: {again.Error}";
        }

        await AssertAsync(operation, wanted, when);
        return chain.Count;
    }

    // The time of the middle version.
    private string Time() => $"{Salvage.Read(m_case.Remote).Versions.Keys.ElementAt(1):yyyy-MM-ddTHH:mm:ssZ}";

    private static bool Alike(IEnumerable<string[]> versions, IEnumerable<string[]> wanted) =>
        versions.Select(x => string.Join('\n', x)).SequenceEqual(wanted.Select(x => string.Join('\n', x)));

    private async Task AssertAsync(string operation, IReadOnlyList<string[]> wanted, string when)
    {
        var found = Salvage.Read(m_case.Remote).Versions;
        // A version of what an interrupted backup had recorded may be there as well.
        var versions =
            operation == "backup" && found.Count == wanted.Count + 1 ? found.Values.Where((_, i) => i != wanted.Count - 1) : found.Values;
        Assert.That(
            Alike(versions, wanted),
            $"{when}\nversions: {string.Join(" / ", found.Select(x => $"{x.Key:u} {string.Join(", ", x.Value.Select(y => y[..12]))}"))}"
        );
        var known = SampleDatabase.Rows(
            m_case.Database,
            """SELECT strftime('%Y-%m-%d %H:%M:%SZ', "Timestamp", 'unixepoch') FROM "Fileset" ORDER BY "Timestamp" """
        );
        Assert.That(known, Is.EqualTo(found.Keys.Select(x => $"{x:u}")), when);
        var verify = await ToolRun.RunAsync(m_case.Words("verify"));
        Assert.That(verify.Code, Is.Zero, $"{when}\nverify: {verify.Error}");
        if (operation == "restore")
            Assert.That(
                Directory
                    .GetFiles(Path.Combine(m_case.Folder, "restored"), "*", SearchOption.AllDirectories)
                    .Select(x => Salvage.Describe(x, File.ReadAllBytes(x)))
                    .Order(StringComparer.Ordinal),
                Is.EqualTo(wanted[^1]),
                when
            );
    }
}
