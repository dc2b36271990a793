// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
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

/// <summary>Runs programs, each below a process of its own that adds up what it costs.</summary>
/// <param name="folder">Where that process leaves its result.</param>
internal sealed class MeasuredProgram(string folder)
{
    /// <summary>The only argument of the process between.</summary>
    public const string Command = "measure";

    /// <summary>Runs a program to its end; when cancelled, it and all processes below it are killed.</summary>
    public async Task<ProgramEnd> RunAsync(IReadOnlyList<string> words, Dictionary<string, string> environment, CancellationToken token)
    {
        var request = new MeasureRequest(Path.Combine(folder, "measured.json"), words, environment);
        File.Delete(request.ResultFile);
        var end = await RunProgram.ToEndAsync(ThisProgram.Start(Command), JsonSerializer.Serialize(request), null, token);
        if (!File.Exists(request.ResultFile))
            throw new InvalidOperationException($"{words[0]} could not be measured: {string.Join(' ', end.Lines)}");
        var reply = JsonSerializer.Deserialize<MeasureReply>(await File.ReadAllTextAsync(request.ResultFile, token))!;
        return new ProgramEnd(reply.Result, reply.Error is { } error ? [error] : end.Lines);
    }

    /// <summary>The other side, in the process between: reads the request from its input, runs the program, writes the result.</summary>
    public static async Task<int> MeasureAsync(TextReader input)
    {
        var request = JsonSerializer.Deserialize<MeasureRequest>((await input.ReadLineAsync())!)!;
        MeasureReply reply;
        try
        {
            reply = new MeasureReply(await ProcessTree.RunAsync(RunProgram.Start(request.Words, request.Environment)), null);
        }
        catch (Win32Exception ex)
        {
            reply = new MeasureReply(null, ex.Message);
        }

        await File.WriteAllTextAsync(request.ResultFile, JsonSerializer.Serialize(reply));
        return 0;
    }
}

/// <summary>
/// What a program and all processes below it cost, as the system adds it up when they are waited for; nothing is polled. It measures all
/// children of this process, which therefore must have had none before.
/// </summary>
internal static class ProcessTree
{
    private const int Children = -1;
    private const int SetChildSubreaper = 36;
    private const int Interrupted = 4;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    /// <summary>How the figures come about on this system.</summary>
    public static string Means =>
        OperatingSystem.IsLinux()
            ? "processor time and writes of all processes that a program starts, memory of the largest of them (peaks below 40 MB cannot be measured, since what starts them has as much)"
        : OperatingSystem.IsMacOS()
            ? "processor time of all processes that a program starts and waits for, memory of the largest of them; writes are not counted on this system"
        : "processor time of the program alone, without processes that it starts; memory and writes are not counted on this system";

    /// <summary>Runs a program to its end. It shares the streams of this process.</summary>
    /// <exception cref="Win32Exception">It cannot be started.</exception>
    public static async Task<StepResult> RunAsync(ProcessStartInfo start)
    {
        // Processes whose parent has gone become children of this one, and count.
        if (OperatingSystem.IsLinux())
            _ = prctl(SetChildSubreaper, 1, 0, 0, 0);
        var before = ProcessWrites.Bytes();
        var watch = Stopwatch.StartNew();
        using var process = Process.Start(start)!;
        await process.WaitForExitAsync();
        watch.Stop();
        if (OperatingSystem.IsWindows())
            return new StepResult(watch.Elapsed.TotalSeconds, process.TotalProcessorTime.TotalSeconds, -1, -1)
            {
                ExitCode = process.ExitCode,
            };

        await ReapAsync();
        if (getrusage(Children, out var usage) != 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        var written = ProcessWrites.Bytes() is { } after && before is { } first ? after - first : -1;
        return new StepResult(
            watch.Elapsed.TotalSeconds,
            usage.User.TotalSeconds + usage.System.TotalSeconds,
            usage.Peak * (OperatingSystem.IsMacOS() ? 1 : 1024),
            written
        )
        {
            ExitCode = process.ExitCode,
        };
    }

    // One that goes on for ever, as a service would, is not waited for.
    private static async Task ReapAsync()
    {
        var reaping = Task.Run(static () =>
        {
            while (waitpid(-1, out _, 0) > 0 || Marshal.GetLastPInvokeError() == Interrupted) { }
        });
        if (await Task.WhenAny(reaping, Task.Delay(s_patience)) != reaping)
            await Console.Error.WriteLineAsync("A process that the program started still runs; its time is not counted.");
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeValue
    {
        private readonly nint m_seconds;
        private readonly nint m_microseconds;

        // Of the second field, macOS fills half.
        public readonly double TotalSeconds => m_seconds + ((int)m_microseconds / 1e6);
    }

    // The system's structure has 14 fields after the times, of which the first is wanted.
    [StructLayout(LayoutKind.Sequential, Size = 256)]
    private struct Usage
    {
        public TimeValue User;
        public TimeValue System;
        public nint Peak;
    }

#pragma warning disable CA5392 // the C library is already loaded; no search path is involved
    [DllImport("libc", SetLastError = true)]
    private static extern int getrusage(int who, out Usage usage);

    [DllImport("libc", SetLastError = true)]
    private static extern int waitpid(int process, out int status, int options);

    [DllImport("libc", SetLastError = true)]
    private static extern int prctl(int option, nuint second, nuint third, nuint fourth, nuint fifth);
#pragma warning restore CA5392
}

/// <summary>Counts the bytes this process hands to the operating system for writing.</summary>
internal static class ProcessWrites
{
    private const string Source = "/proc/self/io";
    private const string Field = "wchar: ";

    /// <summary>Bytes since the process started; null where the system does not count them (other than Linux).</summary>
    public static long? Bytes() =>
        File.Exists(Source)
            ? File.ReadLines(Source)
                .Where(line => line.StartsWith(Field, StringComparison.Ordinal))
                .Select(line => (long?)long.Parse(line.AsSpan(Field.Length), CultureInfo.InvariantCulture))
                .FirstOrDefault()
            : null;
}
