using Duplicati.Benchmarks.EndToEnd;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>One contender's backup of two versions in the hands of another, who has no database, and back again.</summary>
internal static class BackupOfAnother
{
    /// <summary>The kind of its rows.</summary>
    public const string Kind = "crosswise";

    /// <summary>Does it.</summary>
    public static async Task<CrossRow> RunAsync(CrossPair pair, CancellationToken token)
    {
        var (first, second) = (pair.First, pair.Second);
        var original = new Step(Path.Combine(pair.Folder, "remote"), Path.Combine(pair.Folder, "local.sqlite"), pair.Tree);
        var recreated = original with { Database = Path.Combine(pair.Folder, "recreated.sqlite") };
        var chain = new CrossChain(pair.Log, $"{pair.Volumes}, {second.Name} with the backup of {first.Name}");

        await chain.TryAsync("backup", () => BackUpTwiceAsync(pair, original, token)).ConfigureAwait(false);
        await chain.TryAsync("recreate", async () => (await second.RunAsync(TimedOperation.Recreate, recreated, token).ConfigureAwait(false)).Wrong).ConfigureAwait(false);
        await chain.TryAsync("same content", () => CrossPair.CompareAsync(original.Database, recreated.Database, token), isNeeded: false).ConfigureAwait(false);
        await chain.TryAsync("test", async () => (await second.RunAsync(TimedOperation.Test, recreated, token).ConfigureAwait(false)).Wrong, isNeeded: false).ConfigureAwait(false);
        await chain.TryAsync("restore", () => pair.RestoreAsync(second, recreated, "restored", token), isNeeded: false).ConfigureAwait(false);
        await chain.TryAsync("continue", () => ContinueAsync(pair, recreated, token)).ConfigureAwait(false);
        await chain.TryAsync("taken back", () => pair.RestoreAsync(first, recreated, "back", token)).ConfigureAwait(false);
        return new CrossRow(Kind, pair.Volumes, first.Name, second.Name, chain.Cells);
    }

    private static async Task<IReadOnlyList<string>> BackUpTwiceAsync(CrossPair pair, Step step, CancellationToken token)
    {
        var (wrong, _) = await pair.First.RunAsync(TimedOperation.Backup, step, token).ConfigureAwait(false);
        if (wrong.Count > 0)
            return wrong;
        pair.ChangeTree(0);
        return (await pair.First.RunAsync(TimedOperation.Changed, step, token).ConfigureAwait(false)).Wrong;
    }

    private static async Task<IReadOnlyList<string>> ContinueAsync(CrossPair pair, Step step, CancellationToken token)
    {
        pair.ChangeTree(1);
        var (wrong, _) = await pair.Second.RunAsync(TimedOperation.Changed, step, token).ConfigureAwait(false);
        return wrong.Count > 0 ? wrong : await pair.CheckAsync(step, token).ConfigureAwait(false);
    }
}
