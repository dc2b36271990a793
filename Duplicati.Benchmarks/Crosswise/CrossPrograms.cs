// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.ComponentModel;
using System.Diagnostics;
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
        return UnmeasuredProgram.RunAsync(
            CoreCommandLine.Words(contender, operation, step, options),
            CoreCommandLine.Environment(home),
            life,
            token
        );
    }

    private string Redacted(string line) =>
        options.Passphrase is { } passphrase ? line.Replace(passphrase, "***", StringComparison.Ordinal) : line;
}

/// <summary>Runs programs whose cost does not matter, and kills them.</summary>
internal static class UnmeasuredProgram
{
    /// <summary>Runs a program to its end, or kills it and all processes below it.</summary>
    /// <param name="words">The program and its arguments.</param>
    /// <param name="environment">Variables that it gets beside those of this process.</param>
    /// <param name="life">When it is killed if it has not ended; null for never.</param>
    /// <param name="token">Kills it as well.</param>
    /// <returns>How it ended; after a kill, exit codes are the system's for one.</returns>
    public static async Task<ProgramEnd> RunAsync(
        IReadOnlyList<string> words,
        Dictionary<string, string> environment,
        TimeSpan? life,
        CancellationToken token
    )
    {
        var start = new ProcessStartInfo(words[0], words.Skip(1))
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment)
            start.Environment[name] = value;
        using var process = new Process { StartInfo = start };
        var watch = Stopwatch.StartNew();
        try
        {
            process.Start();
        }
        catch (Win32Exception ex)
        {
            return new ProgramEnd(null, [ex.Message]);
        }

        process.StandardInput.Close();
        var lines = new LastLines();
        var reading = Task.WhenAll(
            lines.ReadAsync(process.StandardOutput, CancellationToken.None),
            lines.ReadAsync(process.StandardError, CancellationToken.None)
        );
        await WaitAsync(process, life, token);
        await reading.WaitAsync(token);
        return new ProgramEnd(new StepResult(watch.Elapsed.TotalSeconds, 0, -1, -1) { ExitCode = process.ExitCode }, lines.All);
    }

    private static async Task WaitAsync(Process process, TimeSpan? life, CancellationToken token)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(token);
        if (life is { } time)
            ending.CancelAfter(time);
        try
        {
            await process.WaitForExitAsync(ending.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None);
            token.ThrowIfCancellationRequested();
        }
    }
}
