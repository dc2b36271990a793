// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>generate DIR</c></summary>
internal static class GenerateCommand
{
    internal static Command Create()
    {
        var folder = new Argument<DirectoryInfo>("DIR") { Description = "The folder to fill." };
        var total = CommonOptions.Size("--total", "Bytes in all (default 100mb).");
        var files = new Option<int>("--files") { Description = "Number of files.", DefaultValueFactory = _ => 300 };
        var largest = CommonOptions.Size("--max-file", "Bytes of the largest file (default 10mb, or what so few files need).");
        var sparse = new Option<int>("--sparse") { Description = "Percentage of the bytes that are runs of zeros." };
        var seed = new Option<long>("--seed") { Description = "The same seed gives the same files.", DefaultValueFactory = _ => 1 };
        var command = new Command("generate", "Fill a folder with files for a trial: random content by a seed, nested folders.").With(
            folder,
            total,
            files,
            largest,
            sparse,
            seed
        );
        command.Checks(result =>
        {
            if (Problem(Options(result)) is { } problem)
                result.AddError(problem);
        });
        return command
            .WithOutput()
            .Runs(
                async (console, parsed, _, stop) =>
                {
                    var options = Options(parsed.CommandResult);
                    await SourceGenerator.GenerateAsync(parsed.GetValue(folder)!.FullName, options, stop);
                    console.Write(
                        parsed,
                        options,
                        text =>
                            text.WriteLine(
                                $"Made {SizeText.Count(options.Files, "file")} with {SizeText.Of(options.TotalBytes)} in {parsed.GetValue(folder)}."
                            )
                    );
                    return ExitCode.Ok;
                }
            );

        SourceOptions Options(CommandResult result)
        {
            var bytes = result.GetValue(total) ?? new SourceOptions().TotalBytes;
            return new SourceOptions
            {
                TotalBytes = bytes,
                Files = result.GetValue(files),
                MaxFileBytes = result.GetValue(largest) ?? SourceOptions.LongestFor(bytes, result.GetValue(files)),
                SparsePercent = result.GetValue(sparse),
                Seed = result.GetValue(seed),
            };
        }
    }

    private static string? Problem(SourceOptions options) =>
        options switch
        {
            { Files: < 1 } => "--files: give one at least.",
            { MaxFileBytes: < 1 } => "--max-file: give one byte at least.",
            { SparsePercent: < 0 or > 100 } => "--sparse: give a percentage, 0 to 100.",
            _ when (Int128)options.Files * options.MaxFileBytes < options.TotalBytes =>
                $"{SizeText.Count(options.Files, "file")} of {SizeText.Of(options.MaxFileBytes)} at most cannot hold {SizeText.Of(options.TotalBytes)}; give more --files, a larger --max-file or a smaller --total.",
            _ => null,
        };
}
