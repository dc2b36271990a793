// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>Something in a cycle is not as it should be.</summary>
/// <param name="what">What was being done.</param>
/// <param name="lines">What is wrong.</param>
internal sealed class StressFailure(string what, IEnumerable<string> lines) : Exception($"{what}: {Shortened([.. lines])}")
{
    private const int MostLines = 10;

    /// <summary>Fails if anything is wrong.</summary>
    public static void Require(string what, IEnumerable<string> wrong)
    {
        var lines = wrong.ToList();
        if (lines.Count > 0)
            throw new StressFailure(what, lines);
    }

    private static string Shortened(List<string> lines) =>
        string.Join("; ", lines.Take(MostLines))
        + (lines.Count > MostLines ? FormattableString.Invariant($"; and {lines.Count - MostLines} more") : "");
}
