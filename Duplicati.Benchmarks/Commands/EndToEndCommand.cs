using System.CommandLine;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>e2e</c>: times whole operations on real volumes. The table goes to stdout and to files, progress to stderr.</summary>
internal static class EndToEndCommand
{
    public static Command Create()
    {
        var defaults = new EndToEndOptions();
        var source = new Option<DirectoryInfo?>("--source") { Description = "Back up this folder instead of generated data" };
        var total = new Option<string>("--total") { Description = "Bytes to generate", DefaultValueFactory = _ => "100mb" };
        var files = new Option<int>("--files") { Description = "Files to generate", DefaultValueFactory = _ => defaults.Files };
        var seed = new Option<long>("--seed") { Description = "Seed of the generated data", DefaultValueFactory = _ => defaults.Seed };
        var blockSize = new Option<string>("--blocksize") { Description = "Block size", DefaultValueFactory = _ => "1kb" };
        var volumeSize = new Option<string>("--dblock-size") { Description = "Volume size", DefaultValueFactory = _ => "1mb" };
        var repeat = new Option<int>("--repeat") { Description = "Runs of each contender; medians are reported", DefaultValueFactory = _ => defaults.Repeat };
        var presets = new Option<string[]>("--presets") { Description = "Presets side by side; speed-ups are over the first", AllowMultipleArgumentsPerToken = true, DefaultValueFactory = _ => [.. defaults.Presets] };
        var duplicati = new Option<string?>("--duplicati") { Description = "Command line program of an installed Duplicati to time as well" };
        var encrypt = new Option<bool>("--encrypt") { Description = "Encrypt the volumes" };
        var output = new Option<DirectoryInfo>("--output", "-o") { Description = "Folder for the reports", DefaultValueFactory = _ => new DirectoryInfo(defaults.Output) };

        var command = new Command("e2e", "Times backup, recreate, restore and delete on real volumes, presets side by side") { source, total, files, seed, blockSize, volumeSize, repeat, presets, duplicati, encrypt, output };
        command.SetAction(async (parsed, token) =>
        {
            var options = new EndToEndOptions
            {
                Source = parsed.GetValue(source)?.FullName,
                TotalBytes = Sizer.ParseSize(parsed.GetValue(total)!, "b"),
                Files = parsed.GetValue(files),
                Seed = parsed.GetValue(seed),
                BlockSize = checked((int)Sizer.ParseSize(parsed.GetValue(blockSize)!, "b")),
                VolumeSize = Sizer.ParseSize(parsed.GetValue(volumeSize)!, "b"),
                Repeat = Math.Max(1, parsed.GetValue(repeat)),
                Presets = parsed.GetValue(presets)!,
                Duplicati = parsed.GetValue(duplicati),
                Passphrase = parsed.GetValue(encrypt) ? "end to end" : null,
                Output = parsed.GetValue(output)!.FullName,
            };
            var run = new EndToEndRun(options, Console.Error);
            await run.RunAsync(token).ConfigureAwait(false);
            await Console.Out.WriteLineAsync(new EndToEndReport(options, run.Results).Write()).ConfigureAwait(false);
            return 0;
        });
        return command;
    }
}
