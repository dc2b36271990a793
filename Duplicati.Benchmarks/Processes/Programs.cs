// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

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
