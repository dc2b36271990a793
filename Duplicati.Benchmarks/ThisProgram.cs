using System.Diagnostics;

namespace Duplicati.Benchmarks;

/// <summary>Starts this program again, for work that must have a process of its own.</summary>
internal static class ThisProgram
{
    /// <summary>How to start it with arguments; the caller may redirect its streams.</summary>
    public static ProcessStartInfo Start(params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { UseShellExecute = false };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet")
            start.ArgumentList.Add(typeof(ThisProgram).Assembly.Location);
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        return start;
    }
}
