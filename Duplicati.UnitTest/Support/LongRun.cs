using System.Globalization;
using Duplicati.Benchmarks.Soak;
using NUnit.Framework;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Tests that take minutes to hours and run only when asked for. All of them: <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long"</c>; those of
/// one class: <c>--filter "TestCategory=Long&amp;FullyQualifiedName~KillTests"</c>. A filter that also fits an ordinary test leaves them out.
/// </summary>
internal static class LongRun
{
    /// <summary>The category they carry.</summary>
    internal const string Category = "Long";

    /// <summary>The seed of a random test, which is printed: of the clock, or what the command <c>soak</c> gives. Neither negative nor so large that counting on from it overflows.</summary>
    internal static int Seed()
    {
        var seed = (int?)Given(TestProcess.SeedVariable) ?? (Environment.TickCount & 0x3fffffff);
        TestContext.Out.WriteLine($"Seed {seed}");
        return seed;
    }

    /// <summary>How many a long run is to do: what its test says, or what the command <c>soak</c> asks for at a time.</summary>
    internal static int Count(int count) => (int?)Given(TestProcess.CountVariable) ?? count;

    private static long? Given(string variable) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } text ? long.Parse(text, CultureInfo.InvariantCulture) : null;
}
