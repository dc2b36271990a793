// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Api;

/// <summary>
/// Folders use each other in the one direction that docs/architecture.md states, and its pictures of that are those of the sources.
/// </summary>
[TestFixture]
internal sealed partial class ReferenceOrderTests
{
    private static readonly string[] s_projects =
    [
        "Duplicati.Library.SQLiteHelper",
        "Duplicati.Library.Main.Database",
        "Tools/Duplicati.Engine",
        "Tools/duplicati-db",
        "Duplicati.Benchmarks",
    ];

    private static readonly string s_text = File.ReadAllText(Repository.File("docs", "architecture.md")).ReplaceLineEndings("\n");

    private static IEnumerable<string> Projects => Order().Matches(s_text).Select(x => x.Groups["project"].Value);

    [Test]
    public void Every_project_with_folders_has_an_order() => Assert.That(Projects, Is.EquivalentTo(s_projects));

    [TestCaseSource(nameof(Projects))]
    public void A_folder_uses_only_folders_of_lower_lines(string project)
    {
        var lines = Lines(project);
        var references = FolderReferences.Of(project);
        Assert.That(lines.Keys, Is.EquivalentTo(references.Folders), "the folders of the project, each on one line");

        var upwards = references
            .All.Where(x => lines[x.Key.Used] <= lines[x.Key.User])
            .Select(x => $"{x.Key.User} uses {x.Key.Used}: {string.Join(", ", x.Value)}");
        Assert.That(upwards, Is.Empty);
    }

    [TestCaseSource(nameof(Projects))]
    public void The_picture_is_that_of_the_sources(string project)
    {
        var picture = Picture(FolderReferences.Of(project));
        var isThere = s_text.Contains(picture, StringComparison.Ordinal);
        Assert.That(isThere, Is.True, $"the picture of {project} in docs/architecture.md is to be:\n{picture}");
    }

    // Without an arrow where a longer way leads to the same folder.
    private static string Picture(FolderReferences references)
    {
        var uses = references.All.Keys.ToLookup(x => x.User, x => x.Used);
        var text = new StringBuilder("```mermaid\nflowchart TD\n");
        foreach (var (user, used) in references.All.Keys.Where(x => !uses[x.User].Any(y => y != x.Used && Reaches(uses, y, x.Used))))
            text.Append($"  {Node(user)} --> {Node(used)}\n");
        return text.Append("```\n").ToString();
    }

    private static string Node(string folder) => folder == FolderReferences.Root ? "root[\"files at the root\"]" : folder;

    private static bool Reaches(ILookup<string, string> uses, string from, string to)
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var open = new Stack<string>([from]);
        while (open.TryPop(out var folder))
            foreach (var next in uses[folder])
            {
                if (next == to)
                    return true;
                if (seen.Add(next))
                    open.Push(next);
            }

        return false;
    }

    private static Dictionary<string, int> Lines(string project)
    {
        var body = Order().Matches(s_text).Single(x => x.Groups["project"].Value == project).Groups["lines"].Value;
        return body.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .SelectMany((line, number) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(x => (x, number)))
            .ToDictionary(x => x.x, x => x.number, StringComparer.Ordinal);
    }

    [GeneratedRegex(@"```text order of (?<project>[\w./-]+)\n(?<lines>(?:[^`]*\n)+?)```")]
    private static partial Regex Order();
}
