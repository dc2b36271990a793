// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Api;

/// <summary>Methods and files of the product stay of a size that can be read in one go.</summary>
[TestFixture]
internal sealed partial class SourceLengthTests
{
    private const int Short = 40;
    private const int LongestMethod = 90;
    private const int LongestLine = 140;
    private const int LongestFile = 500;

    private static readonly string[] s_folders =
    [
        "Linking/CoreStubs",
        "Duplicati.Library.Main.Database",
        "Duplicati.Library.SQLiteHelper",
        "Duplicati.Benchmarks",
        "Tools",
    ];

    // By file, with the reason.
    private static readonly Dictionary<string, string> s_longFiles = new(StringComparer.Ordinal);

    private static IEnumerable<(string Name, string Text)> Sources =>
        from folder in s_folders
        from file in Directory.EnumerateFiles(Path.Combine(Repository.Root, folder), "*.cs", SearchOption.AllDirectories)
        let parts = Path.GetRelativePath(Repository.Root, file).Split(Path.DirectorySeparatorChar)
        where !parts.Contains("obj") && !parts.Contains("bin")
        select (Path.GetFileName(file), File.ReadAllText(file));

    [Test]
    public void Methods_are_short()
    {
        var methods = Sources
            .SelectMany(x => Methods(x.Text.Split('\n')).Select(y => (x.Name, y.Head, y.Lines)))
            .OrderByDescending(x => x.Lines)
            .ToList();
        var lengthy = methods.Count(x => x.Lines >= Short);
        TestContext.Out.WriteLine(
            $"{methods.Count} methods, median {methods[methods.Count / 2].Lines} lines, {lengthy} of {Short} lines or more, the longest:"
        );
        methods.Take(10).ToList().ForEach(x => TestContext.Out.WriteLine(x));

        Assert.That(methods, Has.Count.GreaterThan(1000), "the counter finds them");
        Assert.That(methods.Where(x => x.Lines > LongestMethod), Is.Empty);
        Assert.That(lengthy, Is.LessThanOrEqualTo(methods.Count / 20));
    }

    [Test]
    public void Files_are_short()
    {
        var lengthy = Sources
            .Select(x => (x.Name, Lines: x.Text.AsSpan().Count('\n')))
            .Where(x => x.Lines > LongestFile)
            .ToDictionary(x => x.Name, x => x.Lines, StringComparer.Ordinal);
        foreach (var (name, lines) in lengthy)
            TestContext.Out.WriteLine($"{name} {lines}");

        Assert.That(lengthy.Keys, Is.EquivalentTo(s_longFiles.Keys), "with a reason each, and no longer listed than needed");
    }

    // The formatter breaks lines of code, and leaves those of comments and of long strings as they are.
    [Test]
    public void Lines_of_comments_are_short() =>
        Assert.That(
            from source in Sources
            from line in source.Text.Split('\n')
            where line.Length > LongestLine && line.TrimStart().StartsWith("//", StringComparison.Ordinal)
            select $"{source.Name}: {line}",
            Is.Empty
        );

    // The formatter puts the braces of a member where its head begins, and all between them further in.
    private static IEnumerable<(string Head, int Lines)> Methods(string[] lines, string indent = "")
    {
        for (var begin = Array.IndexOf(lines, indent + "{"); begin >= 0; )
        {
            var head =
                Array.FindLastIndex(lines, begin, x => x.Length == 0 || x.TrimStart().StartsWith("//", StringComparison.Ordinal)) + 1;
            var end = Array.FindIndex(lines, begin, x => x.StartsWith(indent + "}", StringComparison.Ordinal));
            // What ends in another way is a value.
            if (Type().IsMatch(string.Join('\n', lines[head..begin])))
                foreach (var member in Methods(lines[(begin + 1)..end], indent + "    "))
                    yield return member;
            else if (lines[end] == indent + "}")
                yield return (lines[head].Trim(), end - head + 1);
            begin = Array.IndexOf(lines, indent + "{", end);
        }
    }

    [GeneratedRegex(@"\b(class|struct|interface|record|enum) \w")]
    private static partial Regex Type();
}
