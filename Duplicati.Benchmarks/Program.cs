using System.CommandLine;
using Duplicati.Benchmarks.Commands;

var root = new RootCommand("Measures Duplicati's SQLite data layer.")
{
    MicroCommand.Create(),
    EndToEndCommand.Create(),
    StepCommand.Create(),
    RecreateScaleCommand.Create(),
};
return await root.Parse(args).InvokeAsync().ConfigureAwait(false);
