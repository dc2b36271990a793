// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Reliability.Mutations;

/// <summary>The list of breaks that <c>mutate.sh</c> tries one by one fits the sources, so that it does not rot.</summary>
[TestFixture]
internal sealed class BreaksTests
{
    private const int Fewest = 40;

    private static readonly string[] s_lines = ["= ", ": ", "- ", "+ ", "? "];

    [Test]
    public void Each_break_fits_the_sources_once_and_has_tests_that_matter()
    {
        var breaks = Read();
        Assert.That(breaks, Has.Count.AtLeast(Fewest));
        Assert.That(breaks.Select(x => x[0]), Is.Unique);
        var tests = typeof(BreaksTests).Assembly.GetTypes().Where(x => !x.IsNested).Select(x => x.FullName!).ToList();
        Assert.Multiple(() =>
        {
            foreach (var item in breaks)
            {
                var source = File.ReadAllText(Repository.File(item[1])).ReplaceLineEndings("\n");
                Assert.That(
                    source.Split(item[2].Replace("\\n", "\n", StringComparison.Ordinal)),
                    Has.Length.EqualTo(2),
                    $"{item[0]}: the text is in {item[1]} once"
                );
                Assert.That(item[3], Is.Not.EqualTo(item[2]), item[0]);
                foreach (var name in item[4].Split('|'))
                    Assert.That(tests.Exists(x => IsOf(name, x)), $"{item[0]}: {name} is a class of tests");
            }
        });
    }

    // A class, or a class and the beginning of a test of it.
    private static bool IsOf(string name, string type) =>
        type.EndsWith("." + name, StringComparison.Ordinal)
        || type.EndsWith("." + name[..Math.Max(0, name.LastIndexOf('.'))], StringComparison.Ordinal);

    // Name, file, text, what is written instead, tests.
    private static List<string[]> Read()
    {
        var breaks = new List<string[]>();
        var part = 0;
        foreach (
            var line in File.ReadLines(Repository.File("Duplicati.UnitTest", "Reliability", "Mutations", "breaks.txt"))
                .Where(x => x.Length > 0 && x[0] != '#')
        )
        {
            Assert.That(line, Does.StartWith(s_lines[part]));
            if (part == 0)
                breaks.Add(new string[s_lines.Length]);
            breaks[^1][part] = line[2..];
            part = (part + 1) % s_lines.Length;
        }

        Assert.That(part, Is.Zero, "the last break is whole");
        return breaks;
    }
}
