using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Reports;

/// <summary>The contenders of a group in one order, so that each stands at the same place in all tables and has the same colour in all figures.</summary>
/// <param name="results">The group.</param>
internal sealed class Contenders(MicroResults results)
{
    // Ways from the least to the most that the layer does; the runner itself sorts by letters. Others follow as they come.
    private static readonly string[] s_known =
    [
        "provider", "provider async", "unprepared", "native", "C loop", "statement", "API", "inside", "batch",
        "own", "shared", "read-only", "shared cache", "own connection", "one connection in turns", "queue", "queue, ahead",
        .. BlockTableShape.All.Keys,
    ];

    private readonly List<string> m_names =
    [
        .. results.Cases
            .OrderBy(candidate => candidate.IsBaseline ? 0 : 1)
            .Select(Name)
            .Distinct()
            .Select((name, place) => (name, place))
            .OrderBy(entry => entry.place > 0 && Array.IndexOf(s_known, entry.name) is >= 0 and var known ? known : entry.place == 0 ? -1 : s_known.Length)
            .Select(entry => entry.name),
    ];

    /// <summary>The contender of a case; its class where nothing is compared.</summary>
    public static string Name(MicroCase candidate) => candidate.BaselineParameter is { } variant ? candidate.Value(variant) : candidate.Class;

    /// <summary>The place of a case's contender among those of the group.</summary>
    public int Place(MicroCase candidate) => m_names.IndexOf(Name(candidate));
}
