// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>Makes a backup with a past: versions, deletions, compacts, purges, kills, volumes that were lost and made anew.</summary>
/// <param name="cycle">Where, with what options, and what must be there.</param>
internal sealed class StressHistory(CycleContext cycle)
{
    private const int FewDelays = 3;
    private const int MostDelayMilliseconds = 60;

    private int m_stamp;

    // What a kill has left is settled by the next operations; a repair may be needed before.
    private bool m_isUnsettled;

    /// <summary>Does all steps of the plan.</summary>
    public async Task RunAsync(CancellationToken token)
    {
        cycle.Source.Make(new Random(cycle.Plan.Seed));
        foreach (var step in cycle.Plan.Steps)
            await RunAsync(step, token);
        // A repair drops what an interrupted backup had recorded; a backup uses it. After either, a database made anew is equal.
        if (m_isUnsettled)
            await BackUpAsync(new Random(cycle.Plan.Seed + 1), 0, token);
    }

    /// <summary>Backs a new state of the source up.</summary>
    public async Task BackUpAsync(Random random, int killAfter, CancellationToken token)
    {
        var stamp = ++m_stamp;
        cycle.Source.Change(stamp, random);
        cycle.Model.Begin(stamp, TreeManifest.Read(cycle.Source.Root));
        cycle.Counts.Note("backups");
        if (await DoAsync(new StressWork(StressWork.Backup, [cycle.Source.Root], []), random, killAfter, token))
        {
            cycle.Model.Add(stamp);
            cycle.Model.Settle();
            m_isUnsettled = false;
        }
    }

    private async Task RunAsync(StressStep step, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var random = new Random(step.Seed);
        cycle.Log.Write($"{step.Kind}{(step.KillAfter > 0 ? FormattableString.Invariant($", killed after event {step.KillAfter}") : "")}");
        if (step.Kind == StressStepKind.Backup || cycle.Model.Count == 0)
            await BackUpAsync(random, step.KillAfter, token);
        else if (step.Kind == StressStepKind.Delete)
            await DeleteAsync(random, step.KillAfter, token);
        else if (step.Kind == StressStepKind.Compact)
            await CompactAsync(random, step.KillAfter, token);
        else if (step.Kind == StressStepKind.Purge)
            await PurgeAsync(random, step.KillAfter, token);
        else
            await MendAsync(random, token);
        await cycle.Model.CheckAsync(cycle.Database, $"after {step.Kind}", token);
    }

    private async Task DeleteAsync(Random random, int killAfter, CancellationToken token)
    {
        var found = await cycle.Model.CheckAsync(cycle.Database, "before a deletion", token);
        var chosen = found.Where(_ => random.Next(3) == 0).Take(found.Count - 1).ToList();
        if (chosen.Count == 0)
            return;

        cycle.Counts.Note("deletions");
        cycle.Model.Doubt(chosen, found);
        if (await DoAsync(Deletion(chosen), random, killAfter, token, () => ChooseAgainAsync(chosen, token)))
            cycle.Model.Settle();
    }

    private static StressWork Deletion(IEnumerable<FoundVersion> versions) =>
        new(StressWork.Delete, [], [.. versions.Select(x => x.Number)]);

    // A repair may have given up what an interrupted backup had recorded: then the others have other numbers, and may be all there are.
    private async Task<StressWork?> ChooseAgainAsync(List<FoundVersion> chosen, CancellationToken token)
    {
        var now = await cycle.Model.ListAsync(cycle.Database, token);
        var left = now.Where(x => chosen.Exists(y => (y.Stamp, y.IsFull) == (x.Stamp, x.IsFull))).ToList();
        if (left.Count == now.Count)
        {
            if (left[0] is { IsFull: true, Stamp: { } stamp })
                cycle.Model.Add(stamp);
            left.RemoveAt(0);
        }

        return left.Count == 0 ? null : Deletion(left);
    }

    private async Task CompactAsync(Random random, int killAfter, CancellationToken token)
    {
        cycle.Counts.Note("compacts");
        await DoAsync(new StressWork(StressWork.Compact, [], []), random, killAfter, token);
    }

    // Run again after a kill: which versions it had rewritten would not be known.
    private async Task PurgeAsync(Random random, int killAfter, CancellationToken token)
    {
        var found = await cycle.Model.CheckAsync(cycle.Database, "before a purge", token);
        List<FoundVersion> chosen = random.Next(2) == 0 ? [.. found] : [.. found.Where(_ => random.Next(2) == 0)];
        if (chosen.Count == 0)
            return;

        cycle.Counts.Note("purges");
        var stamps = chosen.Select(x => x.Stamp).ToHashSet();
        chosen = [.. found.Where(x => stamps.Contains(x.Stamp))];
        var work = new StressWork(StressWork.Purge, ["*" + StressSource.PurgedEnding], [.. chosen.Select(x => x.Number)]);
        if (!await DoAsync(work, random, killAfter, token))
        {
            cycle.Model.AllowsTwins = true;
            var now = await cycle.Model.ListAsync(cycle.Database, token);
            chosen = [.. now.Where(x => stamps.Contains(x.Stamp))];
            await DoAsync(work with { Versions = [.. chosen.Select(x => x.Number)] }, random, 0, token);
        }

        cycle.Model.Remove(chosen, (_, key) => key.EndsWith(StressSource.PurgedEnding, StringComparison.Ordinal));
    }

    private async Task MendAsync(Random random, CancellationToken token)
    {
        var volumes = VolumeDamages.InOrder(cycle.Remote).Where(x => !x.Contains(".dblock.", StringComparison.Ordinal)).ToList();
        if (volumes.Count < 2)
            return;

        cycle.Counts.Note("volumes rebuilt");
        var gone = volumes[random.Next(volumes.Count)];
        cycle.Log.Message($"Removed {Path.GetFileName(gone)}");
        File.Delete(gone);
        await RepairAsync(token);
    }

    private async Task RepairAsync(CancellationToken token)
    {
        var report = await new RepairOperation(cycle.Options, new RepairChoices(), cycle.Log).RunAsync(token);
        StressFailure.Require("repair", report.Problems);
    }

    // False if it was killed. What is left to do after a repair may be something else, or nothing.
    private async Task<bool> DoAsync(
        StressWork work,
        Random random,
        int killAfter,
        CancellationToken token,
        Func<Task<StressWork?>>? again = null
    )
    {
        if (killAfter > 0)
        {
            cycle.Counts.Note(CycleCounts.Kills);
            var delay = random.Next(FewDelays) == 0 ? random.Next(MostDelayMilliseconds) : 0;
            var end = await KilledOperation.StartAsync(new KillRequest(work, cycle.Options, killAfter, delay), cycle.Folder, token);
            cycle.Log.Message(end.WasKilled ? "Killed" : $"Ended before {end.Failure}");
            if (end.WasKilled)
            {
                cycle.Counts.Note(CycleCounts.Hits);
                m_isUnsettled = true;
                await SettleAsync(random, token);
                return false;
            }

            if (end.Failure is null)
                return true;
            if (!m_isUnsettled)
                throw new StressFailure(work.Name, [end.Failure]);
            await RepairAsync(token);
        }

        try
        {
            await work.RunAsync(cycle.Options, cycle.Log, token);
        }
        catch (UserInformationException ex) when (m_isUnsettled)
        {
            cycle.Log.Message($"Needs a repair first: {ex.Message}");
            await RepairAsync(token);
            if ((again is null ? work : await again()) is { } rest)
                await rest.RunAsync(cycle.Options, cycle.Log, token);
        }

        return true;
    }

    // A database that the first backup did not come to make is no database to repair.
    private async Task SettleAsync(Random random, CancellationToken token)
    {
        if (random.Next(2) == 0 && cycle.Model.Count > 0)
            await RepairAsync(token);
    }
}
