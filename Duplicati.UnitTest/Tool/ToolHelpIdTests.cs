// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>Every help id that a failure can end with is a topic of the help.</summary>
[TestFixture]
internal sealed partial class ToolHelpIdTests
{
    private static readonly string[] s_folders =
    [
        "Tools",
        "Duplicati.Library.Main.Database",
        "Duplicati.Library.SQLiteHelper",
        "Linking/CoreStubs",
    ];

    // What earlier builds ended with, and people may look up.
    private static readonly string[] s_earlier = ["CannotPurgeWithNoRemoteVolumes"];

    [Test]
    public async Task Every_help_id_of_the_sources_is_explained()
    {
        var ids = Sources().SelectMany(IdsOf).ToHashSet(StringComparer.Ordinal);
        TestContext.Out.WriteLine(string.Join(" ", ids.Order(StringComparer.Ordinal)));
        Assert.That(
            ids,
            Has.Count.GreaterThan(70)
                .And.Contains("DiskIsFull")
                .And.Contains("SourceIsMissing")
                .And.Contains("WrongPassphrase")
                .And.Contains("RecordingFileNotComplete")
                .And.Contains("NoFreeFilelistName")
        );
        Assert.That(ids.Where(x => !HelpIds.Topics.ContainsKey(x)), Is.Empty, "each needs a line in HelpIds");
        foreach (var id in ids.Append("NullReferenceException"))
        {
            var run = await ToolRun.RunAsync("help", id);
            Assert.That((run.Code, run.Output.Length > 30), Is.EqualTo((0, true)), id);
        }
    }

    [Test]
    public void No_topic_is_of_an_id_that_nothing_ends_with()
    {
        var text = string.Join('\n', Sources());
        Assert.That(
            HelpIds.Topics.Keys.Where(x =>
                !s_earlier.Contains(x)
                && !text.Contains($"\"{x}\"", StringComparison.Ordinal)
                && !text.Contains($"Help id: {x}", StringComparison.Ordinal)
            ),
            Is.Empty
        );
    }

    private static IEnumerable<string> Sources() =>
        from folder in s_folders
        from file in Directory.EnumerateFiles(Path.Combine(Repository.Root, folder), "*.cs", SearchOption.AllDirectories)
        let parts = Path.GetRelativePath(Repository.Root, file).Split(Path.DirectorySeparatorChar)
        where !parts.Contains("obj") && !parts.Contains("bin") && Path.GetFileName(file) != "HelpIds.cs"
        select File.ReadAllText(file);

    // An id is a literal argument of an error, of the constructor of its base, or of what ends a command, behind a message.
    private static IEnumerable<string> IdsOf(string source)
    {
        foreach (Match call in Errors().Matches(source))
        {
            var arguments = Arguments(source, call.Index + call.Length - 1);
            var isError =
                call.Value.StartsWith("User", StringComparison.Ordinal)
                || call.Value.StartsWith("Database", StringComparison.Ordinal)
                || source.Contains("Exception(", StringComparison.Ordinal);
            if (
                isError
                && (
                    call.Value[0] is 'U' or 'D' or 'F'
                    || Message().IsMatch(arguments)
                    || call.Value.StartsWith("base", StringComparison.Ordinal)
                )
            )
            {
                foreach (Match id in Id().Matches(arguments))
                    yield return id.Groups[1].Value;
            }
        }

        foreach (Match id in Pair().Matches(source))
            yield return id.Groups[1].Value;
        foreach (Match id in Told().Matches(source))
            yield return id.Groups[1].Value;
    }

    private static string Arguments(string source, int open)
    {
        var depth = 0;
        for (var i = open; i < source.Length; i++)
        {
            depth += source[i] switch
            {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            if (depth == 0)
                return source[(open + 1)..i];
        }

        return "";
    }

    [GeneratedRegex(@"\b(?:UserInformationException|DatabaseInconsistencyException|base|new|Fail|Fixed)\(")]
    private static partial Regex Errors();

    // A sentence.
    [GeneratedRegex("""^\s*\$?"[A-Z][^"]* """)]
    private static partial Regex Message();

    [GeneratedRegex("""(?:^|,)\s*"([A-Z][a-z]+(?:[A-Z0-9][a-zA-Z0-9]*)*)"\s*(?=,|$)""")]
    private static partial Regex Id();

    // Where a failure of the system becomes one of the tool.
    [GeneratedRegex("""\("([A-Z][a-z]+[A-Z][a-zA-Z]*)", \$"[A-Z{]""")]
    private static partial Regex Pair();

    [GeneratedRegex("Help id: ([A-Z][a-zA-Z]+)")]
    private static partial Regex Told();
}
