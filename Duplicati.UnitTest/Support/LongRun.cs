// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Tests that take minutes to hours and run only when asked for. All of them: <c>dotnet test Duplicati.UnitTest -c Release --filter
/// "TestCategory=Long"</c>; those of
/// one class: <c>--filter "TestCategory=Long&amp;FullyQualifiedName~KilledRecreateTests"</c>. A filter that also fits an ordinary test leaves them
/// out.
/// </summary>
internal static class LongRun
{
    /// <summary>The category they carry.</summary>
    internal const string Category = "Long";

    // What a caller of the tests sets to repeat a run, or to make it in rounds of one seed each.
    private const string SeedVariable = "DUPLICATI_SOAK_SEED";

    private const string CountVariable = "DUPLICATI_SOAK_COUNT";

    /// <summary>
    /// The seed of a random test, which is printed: of the clock, or what <c>DUPLICATI_SOAK_SEED</c> says. Neither negative nor so large
    /// that counting on from it overflows.
    /// </summary>
    internal static int Seed()
    {
        var seed = (int?)Given(SeedVariable) ?? (Environment.TickCount & 0x3fffffff);
        TestContext.Out.WriteLine($"Seed {seed}");
        return seed;
    }

    /// <summary>How many a long run is to do: what its test says, or what <c>DUPLICATI_SOAK_COUNT</c> does.</summary>
    internal static int Count(int count) => (int?)Given(CountVariable) ?? count;

    private static long? Given(string variable) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } text ? long.Parse(text, CultureInfo.InvariantCulture) : null;
}
