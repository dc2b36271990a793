using System.Diagnostics;
using System.Globalization;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Profile;

/// <summary>The sampling profiler of Linux.</summary>
internal sealed class PerfTool
{
    /// <summary>Samples a second of each processor at work; no round number, so that nothing regular falls into step with it.</summary>
    public const int Frequency = 997;

    private const string Missing = "profile needs perf, the sampling profiler of Linux, and there is none on the PATH. "
        + "Install it: the package linux-perf (Debian), linux-tools-generic and linux-tools-$(uname -r) (Ubuntu), or perf (Fedora, Arch, Alpine).";

    private const string Elsewhere = "profile needs perf, the sampling profiler of Linux, which this system has not. Run it on Linux, with the package linux-perf or perf installed.";

    private const string Denied = "perf cannot sample here. Run it as root, or allow it (sysctl kernel.perf_event_paranoid=1); a container needs --cap-add PERFMON. It says: ";

    // Where perf looks for it, whatever the folder of temporary files is.
    private const string MapFolder = "/tmp";

    private readonly string m_program;

    private PerfTool(string program) => m_program = program;

    /// <summary>Variables of a .NET program whose methods perf is to name: it writes where they lie, to a file that perf reads, and has them in memory that perf takes for theirs.</summary>
    public static IReadOnlyDictionary<string, string> Environment { get; } = new Dictionary<string, string>
    {
        ["DOTNET_PerfMapEnabled"] = "3",
        ["DOTNET_PerfMapJitDumpPath"] = MapFolder,
        ["DOTNET_EnableWriteXorExecute"] = "0",
    };

    /// <summary>Finds it.</summary>
    /// <param name="path">The folders to look in, as the variable PATH has them.</param>
    /// <exception cref="ProfileException">There is none.</exception>
    public static PerfTool Find(string? path)
    {
        if (!OperatingSystem.IsLinux())
            throw new ProfileException(Elsewhere);
        return new PerfTool(ProgramPath.Find("perf", path) ?? throw new ProfileException(Missing));
    }

    /// <summary>What stands before a program and its arguments, so that it is sampled into a file.</summary>
    public IReadOnlyList<string> Record(string file) =>
        [m_program, "record", "-q", "-F", Frequency.ToString(CultureInfo.InvariantCulture), "-e", "cpu-clock", "--call-graph", "fp", "-B", "-o", file, "--"];

    /// <summary>Samples next to nothing, to see whether it may.</summary>
    /// <param name="folder">Gets the samples.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="ProfileException">It may not, or does not work.</exception>
    public async Task TryAsync(string folder, CancellationToken token)
    {
        var end = await new MeasuredProgram(folder).RunAsync([.. Record(Path.Combine(folder, "trial")), m_program, "--version"], [], token).ConfigureAwait(false);
        if (end.Result is not { ExitCode: 0 })
            throw new ProfileException(Denied + string.Join('\n', end.Lines));
    }

    /// <summary>Reads a file of samples, and removes the maps that the sampled processes left.</summary>
    /// <param name="file">The file.</param>
    /// <param name="take">Gets each sample.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="ProfileException">It cannot be read.</exception>
    public async Task ReadAsync(string file, Action<PerfSample> take, CancellationToken token)
    {
        var start = new ProcessStartInfo(m_program, ["script", "-i", file, "--no-inline", "-F", PerfScript.Fields]) { UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true };
        using var process = Process.Start(start)!;
        var processes = new HashSet<int>();
        try
        {
            var errors = new LastLines();
            var reading = errors.ReadAsync(process.StandardError, token);
            foreach (var sample in PerfScript.Read(process.StandardOutput))
            {
                token.ThrowIfCancellationRequested();
                processes.Add(sample.Process);
                take(sample);
            }

            await reading.ConfigureAwait(false);
            await process.WaitForExitAsync(token).ConfigureAwait(false);
            if (process.ExitCode != 0)
                throw new ProfileException($"perf could not read its own samples: {string.Join('\n', errors.All)}");
        }
        finally
        {
            // After an error or an interruption it would wait for who reads.
            if (!process.HasExited)
                process.Kill();
            foreach (var id in processes)
                RemoveMaps(id);
        }
    }

    private static void RemoveMaps(int process)
    {
        foreach (var kind in new[] { "perf", "perfinfo" })
            File.Delete(Path.Combine(MapFolder, string.Create(CultureInfo.InvariantCulture, $"{kind}-{process}.map")));
    }
}
