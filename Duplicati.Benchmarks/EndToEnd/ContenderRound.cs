namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>
/// One round of one contender: a backup, more of them with a tenth of the files changed, and then the other operations in their order. What
/// is not to be timed is run only where later operations need it.
/// </summary>
internal sealed class ContenderRound(Peer contender, int round, EndToEndOptions options, EndToEndStore store, TextWriter log)
{
    /// <summary>Runs the round in a new folder.</summary>
    /// <returns>False if the contender failed, which the store then knows.</returns>
    public async Task<bool> RunAsync(string source, string folder, CancellationToken token)
    {
        Directory.CreateDirectory(folder);
        var tree = Path.Combine(folder, "source");
        await ChangedTree.CopyAsync(source, tree, token).ConfigureAwait(false);
        var step = new Step(Path.Combine(folder, "remote"), Path.Combine(folder, "local.sqlite"), tree);
        var program = new ContenderProgram(contender, options, folder);
        return await MakeVersionsAsync(program, step, tree, token).ConfigureAwait(false)
            && await UseVersionsAsync(program, step, folder, token).ConfigureAwait(false);
    }

    private async Task<bool> MakeVersionsAsync(ContenderProgram program, Step step, string tree, CancellationToken token)
    {
        if (!await RunAsync(program, TimedOperation.Backup, step, token).ConfigureAwait(false))
            return false;
        for (var version = 1; version < options.Versions; version++)
        {
            ChangedTree.ChangeTenth(tree, options.Seed + version - 1);
            if (!await RunAsync(program, TimedOperation.Changed, step, token).ConfigureAwait(false))
                return false;
        }

        return !IsTimed(TimedOperation.Unchanged) || await RunAsync(program, TimedOperation.Unchanged, step, token).ConfigureAwait(false);
    }

    private async Task<bool> UseVersionsAsync(ContenderProgram program, Step step, string folder, CancellationToken token)
    {
        // The oldest goes first, and the last deletion takes all that are left.
        var last = IsTimed(TimedOperation.Delete) ? options.Versions - 2 : options.Versions - 1;
        var all = FormattableString.Invariant($"{(last > 0 ? "0-" : "")}{last}");
        // A restore has a database that was made anew just before.
        var used = IsTimed(TimedOperation.Recreate) ? step with { Database = Path.Combine(folder, "recreated.sqlite") } : step;
        (TimedOperation Operation, Step Step)[] steps =
        [
            (TimedOperation.Recreate, used),
            (TimedOperation.Restore, used with { Folder = Path.Combine(folder, "restored") }),
            (TimedOperation.List, step),
            (TimedOperation.Test, step),
            (TimedOperation.Delete, step with { Versions = FormattableString.Invariant($"{options.Versions - 1}") }),
            (TimedOperation.Compact, step),
            (TimedOperation.DeleteAll, step with { Versions = all }),
        ];
        foreach (var (operation, chosen) in steps.Where(entry => IsTimed(entry.Operation)))
        {
            if (!await RunAsync(program, operation, chosen, token).ConfigureAwait(false))
                return false;
            if (operation == TimedOperation.Restore && TreeComparer.Difference(step.Folder, chosen.Folder) is { } difference)
                return await FailAsync(operation, null, [difference]).ConfigureAwait(false);
        }

        return true;
    }

    private bool IsTimed(TimedOperation operation) => options.Operations.Contains(operation.Key);

    private async Task<bool> RunAsync(ContenderProgram program, TimedOperation operation, Step step, CancellationToken token)
    {
        var end = await program.RunAsync(operation, step, token).ConfigureAwait(false);
        if (!end.IsSuccess)
            return await FailAsync(operation, end.Result?.ExitCode, end.Lines).ConfigureAwait(false);

        var result = end.Result! with { Round = round };
        if (IsTimed(operation))
            store.Add(contender.Name, operation, result);
        await log.WriteLineAsync(FormattableString.Invariant($"{round}/{options.Repeat} {contender.Name,-11} {operation.Title,-20} {result.WallSeconds,8:F2} s wall {result.CpuSeconds,8:F2} s cpu {result.PeakBytes / 1048576.0,8:F0} MiB{(IsTimed(operation) ? "" : " (needed, not reported)")}")).ConfigureAwait(false);
        return true;
    }

    private async Task<bool> FailAsync(TimedOperation operation, int? exitCode, IReadOnlyList<string> lines)
    {
        store.Add(new StepFailure(contender.Name, operation.Title, round, exitCode, lines));
        await log.WriteLineAsync(FormattableString.Invariant($"{round}/{options.Repeat} {contender.Name,-11} {operation.Title,-20} failed{(exitCode is { } code ? $" with exit code {code}" : "")}; it is left out from here on. {string.Join('\n', lines)}")).ConfigureAwait(false);
        return false;
    }
}
