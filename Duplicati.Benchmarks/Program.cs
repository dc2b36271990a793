using System.CommandLine;
using Duplicati.Benchmarks.Commands;

var root = new RootCommand("Measures Duplicati's SQLite data layer.")
{
    MicroCommand.Create(),
};
return root.Parse(args).Invoke();
