using System.CommandLine;
using System.CommandLine.Invocation;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.EndToEnd;

// Its command line is Duplicati's, not this program's.
if (args is [StandIn.Name, .. var words])
    return await StandIn.RunAsync(words, Console.Out, CancellationToken.None).ConfigureAwait(false);

var root = new RootCommand("Measures Duplicati's SQLite data layer.")
{
    MicroCommand.Create(),
    EndToEndCommand.Create(),
    SuiteCommand.Create(),
    ReportCommand.Create(),
    CompareCommand.Create(),
    MeasureCommand.Create(),
    RecreateScaleCommand.Create(),
    RecreateCaseCommand.Create(),
    BlockRatiosCommand.Create(),
    TechniquesCommand.Create(),
    DeleteStepsCommand.Create(),
    InstrumentsCommand.Create(),
};
var parsed = root.Parse(args);
if (parsed.Action is ParseErrorAction mistake)
    mistake.ShowHelp = false;
// Whoever is interrupted may still write what there is.
var exitCode = await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = TimeSpan.FromSeconds(30) }).ConfigureAwait(false);
return parsed.Action is ParseErrorAction ? ExitCodes.WrongCommandLine : exitCode;
