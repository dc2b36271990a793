// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>A contender, for runs whose cost does not matter.</summary>
/// <param name="contender">Who.</param>
/// <param name="options">Sizes and passphrase.</param>
/// <param name="folder">Where its own settings lie.</param>
internal sealed class CrossProgram(Peer contender, EndToEndOptions options, string folder)
{
    /// <summary>Its name.</summary>
    public string Name => contender.Name;

    /// <summary>Runs an operation to its end.</summary>
    /// <returns>What is wrong: nothing if it succeeded, otherwise its exit code and last lines; and how long it took.</returns>
    public async Task<(IReadOnlyList<string> Wrong, TimeSpan Time)> RunAsync(TimedOperation operation, Step step, CancellationToken token)
    {
        var end = await EndAsync(operation, step, null, token);
        // Whoever interrupts a run from a terminal interrupts the program as well.
        if (!end.IsSuccess)
            token.ThrowIfCancellationRequested();
        IReadOnlyList<string> wrong = end.IsSuccess
            ? []
            : [$"{contender.Name}, {operation.Title}: {end.Text}", .. end.Lines.Select(Redacted)];
        return (wrong, TimeSpan.FromSeconds(end.Result?.WallSeconds ?? 0));
    }

    /// <summary>Starts an operation and kills it, as <c>kill -9</c> does.</summary>
    /// <returns>False if it ended before.</returns>
    public async Task<bool> KillAsync(TimedOperation operation, Step step, TimeSpan life, CancellationToken token) =>
        (await EndAsync(operation, step, life, token)).Result is { ExitCode: < 0 or > 3 and not 100 };

    private Task<ProgramEnd> EndAsync(TimedOperation operation, Step step, TimeSpan? life, CancellationToken token)
    {
        var home = Directory.CreateDirectory(Path.Combine(folder, "home", contender.Name)).FullName;
        var start = RunProgram.Start(CoreCommandLine.Words(contender, operation, step, options), CoreCommandLine.Environment(home));
        return RunProgram.ToEndAsync(start, "", life, token);
    }

    private string Redacted(string line) =>
        options.Passphrase is { } passphrase ? line.Replace(passphrase, "***", StringComparison.Ordinal) : line;
}
