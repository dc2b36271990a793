using System.ComponentModel;
using System.Diagnostics;
using System.Text.Json;

namespace Duplicati.Benchmarks.Processes;

/// <summary>A program to run and measure.</summary>
/// <param name="ResultFile">Gets a <see cref="MeasureReply"/>; the program has the streams for itself.</param>
/// <param name="Words">The program and its arguments.</param>
/// <param name="Environment">Variables that it gets beside those of this process.</param>
internal sealed record MeasureRequest(string ResultFile, IReadOnlyList<string> Words, Dictionary<string, string> Environment);

/// <summary>What became of it.</summary>
/// <param name="Result">What it cost; null if it was not started.</param>
/// <param name="Error">Why it was not started.</param>
internal sealed record MeasureReply(StepResult? Result, string? Error);

/// <summary>A program that has ended, or that was not started.</summary>
/// <param name="Result">What it cost; null if it was not started.</param>
/// <param name="Lines">The last lines it wrote, or why it was not started.</param>
internal sealed record ProgramEnd(StepResult? Result, IReadOnlyList<string> Lines)
{
    /// <summary>Exit codes up to 2 are success: 1 is without changes, 2 with warnings.</summary>
    public bool IsSuccess => Result is { ExitCode: >= 0 and <= 2 };

    /// <summary>How it ended, in words.</summary>
    public string Text => Result is null ? "did not start" : FormattableString.Invariant($"ended with exit code {Result.ExitCode}");
}

/// <summary>Runs programs, each below a process of its own that adds up what it costs.</summary>
/// <param name="folder">Where that process leaves its result.</param>
internal sealed class MeasuredProgram(string folder)
{
    /// <summary>The only argument of the process between.</summary>
    public const string Command = "measure";

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    /// <summary>Runs a program to its end; when cancelled, it and all processes below it are killed.</summary>
    public async Task<ProgramEnd> RunAsync(IReadOnlyList<string> words, Dictionary<string, string> environment, CancellationToken token)
    {
        var request = new MeasureRequest(Path.Combine(folder, "measured.json"), words, environment);
        File.Delete(request.ResultFile);
        var start = ThisProgram.Start(Command);
        (start.RedirectStandardInput, start.RedirectStandardOutput, start.RedirectStandardError) = (true, true, true);
        using var process = Process.Start(start)!;
        try
        {
            await process.StandardInput.WriteLineAsync(JsonSerializer.Serialize(request)).ConfigureAwait(false);
            process.StandardInput.Close();
            var lines = new LastLines();
            var reading = Task.WhenAll(lines.ReadAsync(process.StandardOutput, token), lines.ReadAsync(process.StandardError, token));
            await process.WaitForExitAsync(token).ConfigureAwait(false);
            // What goes on in the background would hold the streams open.
            await Task.WhenAny(reading, Task.Delay(s_patience, token)).ConfigureAwait(false);
            if (!File.Exists(request.ResultFile))
                throw new InvalidOperationException($"{words[0]} could not be measured: {string.Join(' ', lines.All)}");
            var reply = JsonSerializer.Deserialize<MeasureReply>(await File.ReadAllTextAsync(request.ResultFile, token).ConfigureAwait(false))!;
            return new ProgramEnd(reply.Result, reply.Error is { } error ? [error] : lines.All);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None).ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>The other side, in the process between: reads the request from its input, runs the program, writes the result.</summary>
    public static async Task<int> MeasureAsync(TextReader input)
    {
        var request = JsonSerializer.Deserialize<MeasureRequest>((await input.ReadLineAsync().ConfigureAwait(false))!)!;
        var start = new ProcessStartInfo(request.Words[0], request.Words.Skip(1)) { UseShellExecute = false };
        foreach (var (name, value) in request.Environment)
            start.Environment[name] = value;
        MeasureReply reply;
        try
        {
            reply = new MeasureReply(await ProcessTree.RunAsync(start).ConfigureAwait(false), null);
        }
        catch (Win32Exception ex)
        {
            reply = new MeasureReply(null, ex.Message);
        }

        await File.WriteAllTextAsync(request.ResultFile, JsonSerializer.Serialize(reply)).ConfigureAwait(false);
        return 0;
    }
}
