using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Large;

/// <summary>Counts the flushes to the disk of a process, by the program strace, which no other call passes through.</summary>
internal static partial class FlushCount
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(50);

    /// <summary>The program; null if there is none on this system, or if it may not trace.</summary>
    internal static string? Program { get; } = Find();

    /// <summary>What is to be written before the words of a command, so that it is traced. The process started is that of the command itself.</summary>
    internal static IEnumerable<string> Words(string log) => ["-D", "-f", "-ttt", "--seccomp-bpf", "-e", "trace=fsync,fdatasync", "-o", log];

    /// <summary>Counts the flushes that began between two times.</summary>
    /// <param name="log">What the program wrote; it may be about to write the end of it.</param>
    /// <param name="process">Id of the process.</param>
    /// <param name="cost">Says when the step began and ended.</param>
    /// <returns>Null if the program could not trace.</returns>
    internal static async Task<long?> ReadAsync(string log, int process, LargeCost cost)
    {
        var end = FormattableString.Invariant($"{process} ");
        for (var waited = TimeSpan.Zero; waited < s_patience; waited += s_interval)
        {
            if (File.Exists(log) && await ReadLinesAsync(log).ConfigureAwait(false) is var lines && lines.Any(line => line.StartsWith(end, StringComparison.Ordinal) && line.Contains("+++ exited", StringComparison.Ordinal)))
                return Count(lines, cost.Began, cost.Ended);
            await Task.Delay(s_interval, CancellationToken.None).ConfigureAwait(false);
        }

        return null;
    }

    /// <summary>Counts the lines of calls that began between two times, in seconds since 1970.</summary>
    internal static long Count(IEnumerable<string> lines, double began, double ended) =>
        lines.Select(line => Call().Match(line)).Count(call => call.Success && double.Parse(call.Groups["time"].ValueSpan, CultureInfo.InvariantCulture) is var time && time >= began && time <= ended);

    private static async Task<List<string>> ReadLinesAsync(string log)
    {
        using var reader = new StreamReader(log, new FileStreamOptions { Share = FileShare.ReadWrite | FileShare.Delete });
        var lines = new List<string>();
        while (await reader.ReadLineAsync(CancellationToken.None).ConfigureAwait(false) is { } line)
            lines.Add(line);
        return lines;
    }

    private static string? Find()
    {
        var program = OperatingSystem.IsLinux() ? ProgramPath.Find("strace", Environment.GetEnvironmentVariable("PATH")) : null;
        return program is not null && CanTrace(program) ? program : null;
    }

    private static bool CanTrace(string program)
    {
        using var trial = Process.Start(new ProcessStartInfo(program, [.. Words("/dev/null"), "true"]) { RedirectStandardError = true, UseShellExecute = false })!;
        trial.StandardError.ReadToEnd();
        trial.WaitForExit();
        return trial.ExitCode == 0;
    }

    [GeneratedRegex(@"^\d+ +(?<time>\d+\.\d+) (fsync|fdatasync)\(")]
    private static partial Regex Call();
}
