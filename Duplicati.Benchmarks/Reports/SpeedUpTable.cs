using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Reports;

/// <summary>
/// The speed-ups of a whole group in one table, a question a row: of several contenders at the largest size, or of a single one at every
/// size.
/// </summary>
internal static class SpeedUpTable
{
    private const int FewestQuestions = 4;

    /// <summary>Adds the table if the group has so many questions, all against the same baseline, that it helps.</summary>
    public static void Append(ReportDocument document, MicroResults results)
    {
        var compared = results.Cases.Where(candidate => SpeedUps.Of(results, candidate) is not null).ToList();
        if (compared.Select(candidate => candidate.Class).Distinct().Count() < FewestQuestions || compared.Select(candidate => (candidate.BaselineParameter, candidate.BaselineValue)).Distinct().Count() > 1)
            return;

        var size = MicroSection.SizeOf(compared);
        var contenders = compared.Select(candidate => candidate.Value(candidate.BaselineParameter!)).Distinct().ToList();
        var isOfSizes = contenders.Count == 1 && size is not null;
        var columns = isOfSizes ? compared.Select(candidate => candidate.Value(size!)).Distinct().ToList() : contenders;
        var shown = isOfSizes || size is null ? compared : Largest(compared, size);

        var what = isOfSizes ? $"{contenders[0]} over {compared[0].BaselineValue}, by {size}" : $"over {compared[0].BaselineValue}";
        document.Line($"\n### Speed-ups {what}\n");
        document.Head(isOfSizes || size is null ? ["question"] : ["question", size], columns);
        foreach (var row in shown.GroupBy(candidate => Question(candidate, size)))
        {
            IEnumerable<string> head = isOfSizes || size is null ? [row.Key] : [row.Key, row.First().Value(size)];
            document.Row(head.Concat(columns.Select(column => Cell(results, row.FirstOrDefault(candidate => candidate.Value(isOfSizes ? size! : candidate.BaselineParameter!) == column)))));
        }
    }

    private static List<MicroCase> Largest(List<MicroCase> cases, string size) =>
        [.. cases.GroupBy(candidate => Question(candidate, size)).SelectMany(question => question.Where(candidate => MicroSection.Size(candidate, size) == question.Max(other => MicroSection.Size(other, size))))];

    private static string Question(MicroCase candidate, string? size)
    {
        var others = candidate.Parameters.Where(parameter => parameter.Key != candidate.BaselineParameter && parameter.Key != size).Select(parameter => $"{parameter.Key} = {parameter.Value}").ToList();
        return others.Count == 0 ? candidate.Class : $"{candidate.Class}, {string.Join(", ", others)}";
    }

    private static string Cell(MicroResults results, MicroCase? candidate) =>
        candidate is not null && SpeedUps.Of(results, candidate) is { } ratio ? Numbers.Two(ratio.Ratio) : "–";
}
