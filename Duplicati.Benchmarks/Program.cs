using System.CommandLine;
using System.CommandLine.Invocation;
using Duplicati.Benchmarks.Commands;

var root = new RootCommand("Measures Duplicati's SQLite data layer.")
{
    MicroCommand.Create(),
    EndToEndCommand.Create(),
    SuiteCommand.Create(),
    ReportCommand.Create(),
    CompareCommand.Create(),
    StepCommand.Create(),
    RecreateScaleCommand.Create(),
    RecreateCaseCommand.Create(),
    BlockRatiosCommand.Create(),
    TechniquesCommand.Create(),
    DeleteStepsCommand.Create(),
};
var parsed = root.Parse(args);
var exitCode = await parsed.InvokeAsync().ConfigureAwait(false);
return parsed.Action is ParseErrorAction ? ExitCodes.WrongCommandLine : exitCode;
