// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Invocation;
using Duplicati.Benchmarks;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Scale;
using Duplicati.Benchmarks.Stress.Operations;
using Duplicati.Benchmarks.Stress.Recreate;

// The command line of the first is Duplicati's, not this program's; all are started often, and the commands below take a while to set up.
if (args is [StandIn.Name, .. var words])
    return await StandIn.RunAsync(words, Console.Out, CancellationToken.None);
if (args is [MeasuredProgram.Command])
    return await MeasuredProgram.MeasureAsync(Console.In);
if (args is [KilledOperation.Command, var request])
    return await KilledOperation.RunAsync(request);
if (args is [BlockSteps.Command, var item, var folder])
    return await BlockSteps.RunAsync(item, folder, Console.Out);
if (args is [SharedWork.Command, .. var place])
    return await SharedWork.RunAsync(place, Console.Out);

var parsed = BenchmarkRoot.Create().Parse(args);
if (parsed.Action is ParseErrorAction mistake)
    mistake.ShowHelp = false;

// Whoever is interrupted may still write what there is.
var exitCode = await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = TimeSpan.FromSeconds(30) });
return parsed.Action is ParseErrorAction ? ExitCodes.WrongCommandLine : exitCode;

namespace Duplicati.Benchmarks
{
    /// <summary>The command tree of the benchmarks.</summary>
    internal static class BenchmarkRoot
    {
        /// <summary>The root with all commands that people type.</summary>
        public static RootCommand Create() =>
            new("Measures Duplicati's SQLite data layer.")
            {
                MicroCommand.Create(),
                EndToEndCommand.Create(),
                StressCommand.Create(),
                SuiteCommand.Create(),
                ReportCommands.CreateReport(),
                ReportCommands.CreateCompare(),
                TechniquesCommand.Create(),
                ScaleCommand.Create(),
            };
    }
}
