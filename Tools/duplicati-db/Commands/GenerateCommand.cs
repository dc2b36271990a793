// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Data;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>generate DIR</c></summary>
internal static class GenerateCommand
{
    internal static Command Create(ToolConsole console)
    {
        var folder = new Argument<DirectoryInfo>("DIR") { Description = "The folder to fill." };
        var total = CommonOptions.Size("--total", "Bytes in all (default 100mb).");
        var files = new Option<int>("--files") { Description = "Number of files.", DefaultValueFactory = _ => 300 };
        var largest = CommonOptions.Size("--max-file", "Bytes of the largest file (default 10mb).");
        var sparse = new Option<int>("--sparse") { Description = "Percentage of the bytes that are runs of zeros." };
        var seed = new Option<long>("--seed") { Description = "The same seed gives the same files.", DefaultValueFactory = _ => 1 };
        var command = new Command("generate", "Fill a folder with files for a trial: random content by a seed, nested folders.");
        command.Arguments.Add(folder);
        foreach (var option in new Option[] { total, files, largest, sparse, seed })
            command.Options.Add(option);
        command
            .WithOutput()
            .SetAction(
                (parsed, token) =>
                    console.RunAsync(
                        parsed,
                        async (_, stop) =>
                        {
                            var defaults = new SourceOptions();
                            var options = new SourceOptions
                            {
                                TotalBytes = parsed.GetValue(total) ?? defaults.TotalBytes,
                                Files = parsed.GetValue(files),
                                MaxFileBytes = parsed.GetValue(largest) ?? defaults.MaxFileBytes,
                                SparsePercent = parsed.GetValue(sparse),
                                Seed = parsed.GetValue(seed),
                            };
                            await SourceGenerator.GenerateAsync(parsed.GetValue(folder)!.FullName, options, stop).ConfigureAwait(false);
                            console.Write(
                                parsed,
                                options,
                                text =>
                                    text.WriteLine(
                                        $"Made {options.Files} files with {options.TotalBytes} bytes in {parsed.GetValue(folder)}."
                                    )
                            );
                            return ExitCode.Ok;
                        },
                        token
                    )
            );
        return command;
    }
}
