using System.ComponentModel;
using System.Diagnostics;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>Runs programs whose cost does not matter, and kills them.</summary>
internal static class UnmeasuredProgram
{
    /// <summary>Runs a program to its end, or kills it and all processes below it.</summary>
    /// <param name="words">The program and its arguments.</param>
    /// <param name="environment">Variables that it gets beside those of this process.</param>
    /// <param name="life">When it is killed if it has not ended; null for never.</param>
    /// <param name="token">Kills it as well.</param>
    /// <returns>How it ended; after a kill, exit codes are the system's for one.</returns>
    public static async Task<ProgramEnd> RunAsync(IReadOnlyList<string> words, Dictionary<string, string> environment, TimeSpan? life, CancellationToken token)
    {
        var start = new ProcessStartInfo(words[0], words.Skip(1)) { UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
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
        var reading = Task.WhenAll(lines.ReadAsync(process.StandardOutput, CancellationToken.None), lines.ReadAsync(process.StandardError, CancellationToken.None));
        await WaitAsync(process, life, token).ConfigureAwait(false);
        await reading.WaitAsync(token).ConfigureAwait(false);
        return new ProgramEnd(new StepResult(watch.Elapsed.TotalSeconds, 0, -1, -1) { ExitCode = process.ExitCode }, lines.All);
    }

    private static async Task WaitAsync(Process process, TimeSpan? life, CancellationToken token)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(token);
        if (life is { } time)
            ending.CancelAfter(time);
        try
        {
            await process.WaitForExitAsync(ending.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None).ConfigureAwait(false);
            token.ThrowIfCancellationRequested();
        }
    }
}
