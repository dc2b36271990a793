// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>
/// One cycle: a backup with a past, the database made anew, both compared, some of it restored; then the same after damage.
/// </summary>
/// <param name="cycle">The cycle.</param>
internal sealed class StressCycle(CycleContext cycle)
{
    private const int Restored = 2;

    private readonly CycleChecks m_checks = new(cycle);

    /// <summary>Runs it.</summary>
    /// <exception cref="StressFailure">Something is not as it should be; every other exception means the same.</exception>
    public async Task RunAsync(CancellationToken token)
    {
        var history = new StressHistory(cycle);
        await history.RunAsync(token);
        await m_checks.VerifyAsync("at the end of the history", token);
        var recreated = await m_checks.RecreateEqualAsync(cycle.Plan.RecreateKills, "at the end of the history", token);
        await m_checks.ComparePeersAsync(token);
        await RestoreSomeAsync(recreated, token);
        if (cycle.Plan.Continues)
        {
            cycle.Database = recreated;
            await history.BackUpAsync(new Random(cycle.Plan.Seed + 4), 0, token);
            await cycle.Model.CheckAsync(cycle.Database, "after a backup with the recreated database", token);
            await m_checks.VerifyAsync("after a backup with the recreated database", token);
        }

        if (cycle.Plan.Damages > 0)
            await new DamagedCycle(cycle, m_checks, history).RunAsync(token);
    }

    // The newest, and another one.
    private async Task RestoreSomeAsync(string database, CancellationToken token)
    {
        var versions = await cycle.Model.CheckAsync(database, "after the recreate", token);
        var others = versions.Skip(1).ToArray();
        new Random(cycle.Plan.Seed + 5).Shuffle(others);
        foreach (var version in versions.Take(1).Concat(others).Take(Restored))
            await m_checks.RestoreAsync(database, version, isExact: true, _ => false, token);
    }
}
