// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Api;

/// <summary>Methods and files of the product stay of a size that can be read in one go.</summary>
[TestFixture]
internal sealed class SourceLengthTests
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
        var methods = Sources.SelectMany(x => SourceLength.Methods(x.Name, x.Text)).OrderByDescending(x => x.Lines).ToList();
        var lengthy = methods.Count(x => x.Lines >= Short);
        TestContext.Out.WriteLine(
            $"{methods.Count} methods, median {methods[methods.Count / 2].Lines} lines, {lengthy} of {Short} lines or more, the longest:"
        );
        methods.Take(10).ToList().ForEach(TestContext.Out.WriteLine);

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

    [Test]
    public void The_counter_sees_methods_and_nothing_else()
    {
        const string source = """
            namespace A;
            internal class B(int x)
            {
                private int[] c = { 1, 2 };
                [Some("{")]
                public int D<T>(int e = 1)
                    where T : class
                {
                    // }
                    if (e > '}') { return 1; }
                    return "{" == $"{e}" ? 1 : 2;
                }
                public B() : this(1)
                {
                }
                public int F { get; } = 3;
                public int G => 4;
            }
            """;

        Assert.That(SourceLength.Methods("b.cs", source).Select(x => x.ToString()), Is.EqualTo(new[] { "b.cs: D 8", "b.cs: B 3" }));
    }
}
