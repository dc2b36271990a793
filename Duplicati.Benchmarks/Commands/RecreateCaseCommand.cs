using System.CommandLine;
using Duplicati.Benchmarks.Micro.Recreate;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>recreate-case</c>: one rebuild of a <c>recreate-scale</c> run, started by that run.</summary>
internal static class RecreateCaseCommand
{
    public static Command Create()
    {
        var item = new Argument<string>("case") { Description = "The case, as JSON" };
        var folder = new Argument<string>("folder") { Description = "An existing folder for the database" };
        var command = new Command("recreate-case", "Runs one rebuild; used by recreate-scale") { item, folder };
        command.Hidden = true;
        command.SetAction(parsed => ScaleRunner.Run(parsed.GetValue(item)!, parsed.GetValue(folder)!, Console.Out));
        return command;
    }
}
