using System.Diagnostics;
using System.Text.Json;
using Duplicati.Benchmarks.Micro;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Runs one operation in a process of its own, so that memory, processor time and writes are those of the operation alone.</summary>
internal static class StepRunner
{
    /// <summary>Starts this program again for one operation and waits for it.</summary>
    /// <exception cref="InvalidOperationException">The operation failed; the message is what it wrote.</exception>
    internal static async Task<StepResult> RunInChildAsync(StepRequest request, CancellationToken token)
    {
        var start = ThisProgram.Start("step");
        (start.RedirectStandardOutput, start.RedirectStandardInput) = (true, true);
        using var process = Process.Start(start)!;
        await process.StandardInput.WriteLineAsync(JsonSerializer.Serialize(request)).ConfigureAwait(false);
        process.StandardInput.Close();
        var output = await process.StandardOutput.ReadToEndAsync(token).ConfigureAwait(false);
        await process.WaitForExitAsync(token).ConfigureAwait(false);
        return process.ExitCode == 0
            ? JsonSerializer.Deserialize<StepResult>(output)!
            : throw new InvalidOperationException($"{request.Operation} with preset {request.Preset} failed with exit code {process.ExitCode}.");
    }

    /// <summary>The child's side: reads the request from its input, runs it, writes the result.</summary>
    internal static async Task<int> RunAsync(TextReader input, TextWriter output, CancellationToken token)
    {
        var request = JsonSerializer.Deserialize<StepRequest>((await input.ReadLineAsync(token).ConfigureAwait(false))!)!;
        var writtenBefore = ProcessWrites.Bytes() ?? 0;
        var watch = Stopwatch.StartNew();
        await RunAsync(request, token).ConfigureAwait(false);
        watch.Stop();
        using var self = Process.GetCurrentProcess();
        var result = new StepResult(watch.Elapsed.TotalSeconds, self.TotalProcessorTime.TotalSeconds, self.PeakWorkingSet64, (ProcessWrites.Bytes() ?? 0) - writtenBefore);
        await output.WriteLineAsync(JsonSerializer.Serialize(result)).ConfigureAwait(false);
        return 0;
    }

    private static async Task RunAsync(StepRequest request, CancellationToken token)
    {
        var options = new EngineOptions
        {
            Remote = request.Remote,
            DatabasePath = request.Database,
            Preset = request.Preset,
            BlockSize = request.Operation == "backup" ? request.BlockSize : null,
            VolumeSize = request.VolumeSize,
            Passphrase = request.Passphrase,
        };
        switch (request.Operation)
        {
            case "backup":
                await new BackupOperation(options, SilentProgress.Instance).RunAsync([request.Folder], token).ConfigureAwait(false);
                break;
            case "recreate":
                await new RecreateOperation(options, SilentProgress.Instance).RunAsync(token).ConfigureAwait(false);
                break;
            case "restore":
                await new RestoreOperation(options, SilentProgress.Instance).RunAsync(request.Folder, 0, null, token).ConfigureAwait(false);
                break;
            case "delete":
                await new DeleteOperation(options, SilentProgress.Instance).RunAsync([request.Version], false, token).ConfigureAwait(false);
                break;
            default:
                throw new ArgumentException($"There is no operation {request.Operation}.");
        }
    }
}
