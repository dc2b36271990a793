// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>A contender, for runs whose cost does not matter.</summary>
/// <param name="contender">Who.</param>
/// <param name="options">Sizes and passphrase.</param>
/// <param name="folder">Where its own settings lie.</param>
internal sealed class CrossProgram(Peer contender, EndToEndOptions options, string folder)
{
    private readonly ContenderProgram m_program = new(contender, options, folder);

    /// <summary>Its name.</summary>
    public string Name => contender.Name;

    /// <summary>Runs an operation to its end.</summary>
    /// <returns>What is wrong: nothing if it succeeded, otherwise its exit code and last lines; and how long it took.</returns>
    public async Task<(IReadOnlyList<string> Wrong, TimeSpan Time)> RunAsync(TimedOperation operation, Step step, CancellationToken token)
    {
        var end = await m_program.RunAsync(operation, step, token, isMeasured: false);
        IReadOnlyList<string> wrong = end.IsSuccess ? [] : [$"{Name}, {operation.Title}: {end.Text}", .. end.Lines];
        return (wrong, TimeSpan.FromSeconds(end.Result?.WallSeconds ?? 0));
    }

    /// <summary>Starts an operation and kills it, as <c>kill -9</c> does.</summary>
    /// <returns>False if it ended before.</returns>
    public async Task<bool> KillAsync(TimedOperation operation, Step step, TimeSpan life, CancellationToken token) =>
        (await m_program.RunAsync(operation, step, token, isMeasured: false, life)).Result is { ExitCode: < 0 or > 3 and not 100 };
}
