// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Api;

/// <summary>The ratios that stand in the text of docs/performance.md are those of the rows that their commands name.</summary>
[TestFixture]
internal sealed partial class TechniqueTextTests
{
    // The text is rounded; what was measured again on another day may be a little off.
    private const double Tolerance = 0.25;

    private static readonly string s_text = File.ReadAllText(Repository.File("docs", "performance.md")).ReplaceLineEndings("\n");

    private static readonly List<Dictionary<string, string>> s_rows = Rows();

    [Test]
    public void A_ratio_in_the_text_is_that_of_its_row()
    {
        var ratios = Ratio().Matches(s_text);
        Assert.That(ratios, Has.Count.GreaterThan(10));
        Assert.That(s_rows, Has.Count.GreaterThan(15));
        Assert.That(ratios.Select(Problem).Where(x => x is not null), Is.Empty);
    }

    private static string? Problem(Match ratio)
    {
        var name = ratio.Groups["name"].Value;
        var row = s_rows.Find(x => x["technique"] == name) ?? s_rows.Find(x => x["technique"].Contains(name, StringComparison.Ordinal));
        if (row is null)
            return $"no row of the table has \"{name}\"";
        var column = ratio.Groups["clock"].Success ? "ratio (clock)" : "ratio";
        var off =
            double.Parse(ratio.Groups["ratio"].Value, CultureInfo.InvariantCulture)
            / double.Parse(row[column], CultureInfo.InvariantCulture);
        return off is > 1 - Tolerance and < 1 + Tolerance
            ? null
            : $"{name}: the text says {ratio.Groups["ratio"].Value}, the table {row[column]}";
    }

    private static List<Dictionary<string, string>> Rows()
    {
        var lines = s_text
            .Split('\n')
            .SkipWhile(x => !x.StartsWith("| technique |", StringComparison.Ordinal))
            .TakeWhile(x => x.StartsWith('|'))
            .Select(Cells)
            .ToList();
        return [.. lines.Skip(2).Select(row => lines[0].Zip(row).ToDictionary(x => x.First, x => x.Second))];
    }

    private static string[] Cells(string line) => [.. line.Trim('|').Split('|').Select(x => x.Trim())];

    [GeneratedRegex("""\*\*Ratio\.\*\* (?<ratio>[\d.]+) times(?<clock> by the clock)?[^:]*:\s+`techniques --only "(?<name>[^"]+)"`""")]
    private static partial Regex Ratio();
}
