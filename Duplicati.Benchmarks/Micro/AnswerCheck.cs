using System.Globalization;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Micro;

/// <summary>Holds the answers of all contenders against that of the baseline: a fast wrong way must not pass for a fast one.</summary>
internal static class AnswerCheck
{
    /// <summary>A sentence for each case that found out something else than the case it is compared with.</summary>
    public static IEnumerable<string> Differences(MicroResults results)
    {
        foreach (var candidate in results.Cases.Where(candidate => !candidate.IsBaseline))
        {
            if (results.Cases.FirstOrDefault(other => other.IsBaselineOf(candidate)) is not { } baseline || baseline.Answer == candidate.Answer)
                continue;

            var parameters = string.Join(", ", candidate.Parameters.Select(parameter => $"{parameter.Key}={parameter.Value}"));
            yield return $"{results.Group}/{candidate.Class}({parameters}) answers {Text(candidate.Answer)}, {baseline.BaselineValue} answers {Text(baseline.Answer)}.";
        }
    }

    private static string Text(uint? answer) => answer?.ToString("x8", CultureInfo.InvariantCulture) ?? "nothing";
}
