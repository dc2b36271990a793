// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text.Json.Serialization;

namespace Duplicati.Benchmarks.Processes;

/// <summary>What commands end with.</summary>
internal static class ExitCodes
{
    public const int Done = 0;

    /// <summary>Done, and something is slower than it was.</summary>
    public const int Warned = 1;

    /// <summary>Nothing could be done with what was given.</summary>
    public const int WrongCommandLine = 2;

    /// <summary>Something is far slower than it was, or a program that was timed failed.</summary>
    public const int Failed = 3;

    /// <summary>Interrupted by the user; what there was has been written.</summary>
    public const int Interrupted = 130;
}

/// <summary>Starts this program again, for work that must have a process of its own.</summary>
internal static class ThisProgram
{
    /// <summary>How a person starts it in the repository; arguments follow.</summary>
    public const string FromRepository = "dotnet run -c Release --project Duplicati.Benchmarks --";

    /// <summary>How to start it with arguments; the caller may redirect its streams.</summary>
    public static ProcessStartInfo Start(params IEnumerable<string> arguments)
    {
        var assembly = typeof(ThisProgram).Assembly;
        var isItself = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == assembly.GetName().Name;
        var start = new ProcessStartInfo(isItself ? Environment.ProcessPath! : Host()) { UseShellExecute = false };
        if (!isItself)
            start.ArgumentList.Add(assembly.Location);
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        return start;
    }

    // Under tests the process is that of the tests.
    private static string Host() =>
        Path.GetFullPath(
            Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet")
        );
}

/// <summary>What one operation cost.</summary>
/// <param name="WallSeconds">Elapsed time from the start of the program to its end.</param>
/// <param name="CpuSeconds">Processor time, user and system, of the program and all processes below it.</param>
/// <param name="PeakBytes">Largest resident memory of one of these processes; -1 where the system does not say.</param>
/// <param name="WrittenBytes">Bytes that they handed to the system for writing; -1 where the system does not say.</param>
internal sealed record StepResult(double WallSeconds, double CpuSeconds, long PeakBytes, long WrittenBytes)
{
    /// <summary>The round, from 1.</summary>
    [JsonRequired]
    public int Round { get; init; }

    /// <summary>Exit code: 0 done, 1 done without changes, 2 done with warnings.</summary>
    public int ExitCode { get; init; }
}

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

/// <summary>Runs programs, and kills them.</summary>
internal static class RunProgram
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    /// <summary>How to start a program.</summary>
    /// <param name="words">The program and its arguments.</param>
    /// <param name="environment">Variables that it gets beside those of this process.</param>
    public static ProcessStartInfo Start(IReadOnlyList<string> words, IEnumerable<KeyValuePair<string, string>> environment)
    {
        var start = new ProcessStartInfo(words[0], words.Skip(1)) { UseShellExecute = false };
        foreach (var (name, value) in environment)
            start.Environment[name] = value;
        return start;
    }

    /// <summary>Runs a program to its end, or kills it and all processes below it.</summary>
    /// <param name="start">The program; its streams are redirected here.</param>
    /// <param name="input">What it reads.</param>
    /// <param name="life">When it is killed if it has not ended; null for never.</param>
    /// <param name="token">Kills it as well.</param>
    /// <param name="started">Told when it runs.</param>
    /// <returns>How it ended and how long it took, but no other cost; after a kill, exit codes are the system's for one.</returns>
    public static async Task<ProgramEnd> ToEndAsync(
        ProcessStartInfo start,
        string input,
        TimeSpan? life,
        CancellationToken token,
        Action<Process>? started = null
    )
    {
        (start.RedirectStandardInput, start.RedirectStandardOutput, start.RedirectStandardError) = (true, true, true);
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

        started?.Invoke(process);
        var lines = new LastLines();
        var reading = Task.WhenAll(
            lines.ReadAsync(process.StandardOutput, CancellationToken.None),
            lines.ReadAsync(process.StandardError, CancellationToken.None)
        );
        await WriteAsync(process.StandardInput, input);
        await WaitAsync(process, life, token);
        var seconds = watch.Elapsed.TotalSeconds;
        // What goes on in the background would hold the streams open.
        await Task.WhenAny(reading, Task.Delay(s_patience, token));
        return new ProgramEnd(new StepResult(seconds, 0, -1, -1) { ExitCode = process.ExitCode }, lines.All);
    }

    private static async Task WriteAsync(StreamWriter stream, string input)
    {
        try
        {
            await stream.WriteAsync(input);
            stream.Close();
        }
        catch (IOException)
        {
            // It has ended without reading, which its exit code tells.
        }
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

/// <summary>The last lines of what a program writes. Safe for its two streams at once.</summary>
internal sealed class LastLines
{
    private const int Most = 20;

    private readonly Queue<string> m_lines = new();
    private readonly Lock m_lock = new();

    /// <summary>The lines so far.</summary>
    public IReadOnlyList<string> All
    {
        get
        {
            lock (m_lock)
                return [.. m_lines];
        }
    }

    /// <summary>Reads a stream to its end.</summary>
    public async Task ReadAsync(StreamReader stream, CancellationToken token)
    {
        while (await stream.ReadLineAsync(token) is { } line)
        {
            lock (m_lock)
            {
                if (m_lines.Count == Most)
                    m_lines.Dequeue();
                m_lines.Enqueue(line);
            }
        }
    }
}
