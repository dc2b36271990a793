using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Duplicati.Benchmarks.Processes;

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
    public static string Means => OperatingSystem.IsLinux() ? "processor time and writes of all processes that a program starts, memory of the largest of them (what starts them has 40 MB, and less is not seen)"
        : OperatingSystem.IsMacOS() ? "processor time of all processes that a program starts and waits for, memory of the largest of them; writes are not counted on this system"
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
        await process.WaitForExitAsync().ConfigureAwait(false);
        watch.Stop();
        if (OperatingSystem.IsWindows())
            return new StepResult(watch.Elapsed.TotalSeconds, process.TotalProcessorTime.TotalSeconds, -1, -1) { ExitCode = process.ExitCode };

        await ReapAsync().ConfigureAwait(false);
        if (getrusage(Children, out var usage) != 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        var written = ProcessWrites.Bytes() is { } after && before is { } first ? after - first : -1;
        return new StepResult(watch.Elapsed.TotalSeconds, usage.User.TotalSeconds + usage.System.TotalSeconds, usage.Peak * (OperatingSystem.IsMacOS() ? 1 : 1024), written) { ExitCode = process.ExitCode };
    }

    // One that goes on for ever, as a service would, is not waited for.
    private static async Task ReapAsync()
    {
        var reaping = Task.Run(static () =>
        {
            while (waitpid(-1, out _, 0) > 0 || Marshal.GetLastPInvokeError() == Interrupted)
            {
            }
        });
        if (await Task.WhenAny(reaping, Task.Delay(s_patience)).ConfigureAwait(false) != reaping)
            await Console.Error.WriteLineAsync("A process that the program started still runs; its time is not counted.").ConfigureAwait(false);
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
