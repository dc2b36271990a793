// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Invocation;
using Duplicati.Benchmarks.Contenders.Runs;
using Duplicati.Benchmarks.Processes;

if (args is [ContenderChild.Command, var request])
    return ContenderChild.Run(request);

const string Help = """
    Holds providers and engines that one might pick instead against SQLite and this layer: each in a process of its own, in turns, on the
    same data, with the same answers.

    Examples:
      --smoke
      --rows 100000 --only LiteDB "by hand"
      --rows 100000 --output docs/benchmarks/contenders.md
      --rows 100000 --samples samples.jsonl

    Exit codes: 0 done; 2 wrong command line; 3 a contender failed, or answered something else than the others.
    """;

var rows = new Option<int[]>("--rows", "-n")
{
    Description = "Rows of the tables, each a run of its own",
    AllowMultipleArgumentsPerToken = true,
    DefaultValueFactory = _ => [10_000, 100_000, 1_000_000],
};
var full = new Option<bool>("--full") { Description = "Also ten million rows (hours, 20 GB of disk)" };
var repeat = new Option<int>("--repeat", "-r") { Description = "Rounds, of which the medians are taken", DefaultValueFactory = _ => 3 };
var only = new Option<string[]>("--only")
{
    Description = "Only contenders whose name contains one of these",
    AllowMultipleArgumentsPerToken = true,
    DefaultValueFactory = _ => [],
};
var smoke = new Option<bool>("--smoke") { Description = "One round on little data, to see that all run and answer the same" };
var output = new Option<FileInfo?>("--output", "-o") { Description = "The page to write, markdown" };
var csv = new Option<FileInfo?>("--csv") { Description = "A file for every figure of every round" };
var samples = new Option<FileInfo?>("--samples") { Description = "Keeps all samples in a file, and goes on from those of this build" };
var root = new RootCommand(Help) { rows, full, repeat, only, smoke, output, csv, samples };
root.SetAction(parsed =>
    new ContenderRun(
        parsed.GetValue(smoke)
            ? [ContenderChild.SmallRows]
            : [.. parsed.GetValue(rows)!, .. parsed.GetValue(full) ? [10_000_000] : Array.Empty<int>()],
        parsed.GetValue(smoke) ? 1 : parsed.GetValue(repeat),
        parsed.GetValue(only)!,
        parsed.GetValue(smoke),
        parsed.GetValue(samples)?.FullName
    ).Run(parsed.GetValue(output), parsed.GetValue(csv))
);

var command = root.Parse(args);
if (command.Action is ParseErrorAction mistake)
    mistake.ShowHelp = false;
var exitCode = await command.InvokeAsync();
return command.Action is ParseErrorAction ? ExitCodes.WrongCommandLine : exitCode;
