using System.Diagnostics;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Times an installed Duplicati on the same steps, through its command line program.</summary>
/// <param name="command">The program, such as <c>duplicati-cli</c>.</param>
internal sealed class InstalledDuplicati(string command)
{
    private const int PollMilliseconds = 100;

    /// <exception cref="InvalidOperationException">The program failed.</exception>
    internal async Task<StepResult> RunAsync(StepRequest request)
    {
        var start = new ProcessStartInfo(command) { RedirectStandardOutput = true, RedirectStandardError = true, UseShellExecute = false };
        foreach (var argument in Arguments(request))
            start.ArgumentList.Add(argument);
        var watch = Stopwatch.StartNew();
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync();
        var errors = process.StandardError.ReadToEndAsync();
        var (cpu, peak) = await WatchAsync(process).ConfigureAwait(false);
        watch.Stop();
        // Exit code 1 is success without changes, 2 success with warnings.
        return process.ExitCode <= 2
            ? new StepResult(watch.Elapsed.TotalSeconds, cpu, peak, -1)
            : throw new InvalidOperationException($"{command} {request.Operation} failed with exit code {process.ExitCode}: {await output.ConfigureAwait(false)} {await errors.ConfigureAwait(false)}");
    }

    private static IEnumerable<string> Arguments(StepRequest request)
    {
        var remote = "file://" + request.Remote;
        string[] operation = request.Operation switch
        {
            "backup" => ["backup", remote, request.Folder],
            "recreate" => ["repair", remote],
            "restore" => ["restore", remote, "*", "--restore-path=" + request.Folder],
            _ => ["delete", remote, $"--version={request.Version}"],
        };
        string[] options =
        [
            "--dbpath=" + request.Database,
            $"--blocksize={request.BlockSize}b",
            $"--dblock-size={request.VolumeSize}b",
            request.Passphrase is { } passphrase ? "--passphrase=" + passphrase : "--no-encryption=true",
            "--disable-module=console-password-input",
        ];
        return operation.Concat(options);
    }

    // The system tells an exited child's figures to nobody but its parent's wait call, so they are read while it runs.
    private static async Task<(double Cpu, long Peak)> WatchAsync(Process process)
    {
        var figures = (Cpu: 0.0, Peak: 0L);
        while (!process.HasExited)
        {
            try
            {
                process.Refresh();
                figures = (process.TotalProcessorTime.TotalSeconds, process.PeakWorkingSet64);
            }
            catch (InvalidOperationException)
            {
                // It ended between the two questions.
            }

            await Task.Delay(PollMilliseconds).ConfigureAwait(false);
        }

        await process.WaitForExitAsync().ConfigureAwait(false);
        return figures;
    }
}
