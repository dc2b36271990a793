using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Duplicati.Benchmarks.Processes;

/// <summary>Starts this program again, for work that must have a process of its own.</summary>
internal static class ThisProgram
{
    /// <summary>How a person starts it in the repository; arguments follow.</summary>
    public const string FromRepository = "dotnet run -c Release --project Duplicati.Benchmarks --";

    /// <summary>How to start it with arguments; the caller may redirect its streams.</summary>
    public static ProcessStartInfo Start(params IEnumerable<string> arguments)
    {
        var assembly = typeof(ThisProgram).Assembly;
        var isItself = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == assembly.GetName().Name;
        var start = new ProcessStartInfo(isItself ? Environment.ProcessPath! : Host()) { UseShellExecute = false };
        if (!isItself)
            start.ArgumentList.Add(assembly.Location);
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        return start;
    }

    // Under tests the process is that of the tests.
    private static string Host() => Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
}
