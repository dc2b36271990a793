// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Api;

/// <summary>What the documents tell people to type is understood by the programs, and names what is there.</summary>
[TestFixture]
internal sealed partial class DocumentCommandsTests
{
    private static IEnumerable<string> Documents =>
        [
            "README.md",
            "CONTRIBUTING.md",
            "Linking/README.md",
            .. Directory
                .EnumerateFiles(Repository.File("docs"), "*.md")
                .Select(x => $"docs/{Path.GetFileName(x)}")
                .Order(StringComparer.Ordinal),
        ];

    [TestCaseSource(nameof(Documents))]
    public void Every_command_of_a_document_is_understood(string document)
    {
        var wrong = DocumentLine
            .Of(document)
            .SelectMany(line =>
                CommandCheck.Problems(line.Text).Select(problem => $"{line.Document}:{line.Number}: {line.Text}: {problem}")
            );
        Assert.That(string.Join('\n', wrong), Is.Empty);
    }

    [Test]
    public void Commands_of_the_documents_are_found() => Assert.That(Documents.SelectMany(DocumentLine.Of).Count(), Is.GreaterThan(80));

    // The script runs them all, which no test can wait for.
    [Test]
    [Platform(Exclude = "Win")]
    public void Every_command_of_the_README_is_run_by_the_script_and_heavy_ones_get_small_sizes()
    {
        using var script = Process.Start(
            new ProcessStartInfo(Repository.File("Duplicati.UnitTest", "Api", "readme.sh"), "--print") { RedirectStandardOutput = true }
        )!;
        var lines = script.StandardOutput.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Wait.ForEnd(script);

        Assert.That(script.ExitCode, Is.Zero);
        var blocks = File.ReadAllText(Repository.File("README.md"))
            .Split("```sh\n")
            .Skip(1)
            .SelectMany(x => x.Split("\n```")[0].Split('\n'));
        Assert.That(lines, Has.Length.EqualTo(blocks.Count() - 1), "all but the script itself");
        Assert.That(
            lines,
            Has.None.Match("0{5}|PROGRAM|--until|--repeat [2-9]|-r [2-9]|^dotnet test [^\"]*$|(mutate|stryker).sh$|suite --output [^ ]*$")
        );
    }

    // Those about core name its files.
    [Test]
    public void Every_source_that_a_document_names_is_there()
    {
        var files = Directory
            .EnumerateFiles(Repository.Root, "*", SearchOption.AllDirectories)
            .Select(x => Path.GetRelativePath(Repository.Root, x).Replace('\\', '/'))
            .ToList();
        var gone = Documents
            .Where(x => !x.EndsWith("inking.md", StringComparison.Ordinal) && !x.StartsWith("Linking", StringComparison.Ordinal))
            .SelectMany(document =>
                SourceName()
                    .Matches(File.ReadAllText(Repository.File(document)))
                    .Select(x => x.Groups[1].Value)
                    .Where(name => !files.Exists(x => x == name || x.EndsWith(name, StringComparison.Ordinal)))
                    .Select(name => $"{document}: {name}")
            );
        Assert.That(gone, Is.Empty);
        Assert.That(SourceName().Match("`Cli/ToolRoot.cs`").Groups[1].Value, Is.EqualTo("Cli/ToolRoot.cs"));
    }

    [TestCase("duplicati-db backp remote src --dbpath me.sqlite")]
    [TestCase("duplicati-db backup remote src --dbpth me.sqlite")]
    [TestCase("dotnet run -c Release --project Duplicati.Benchmarks -- e3e")]
    [TestCase("dotnet run -c Release --project Duplicati.Benchmarks -- e2e --repet 3")]
    [TestCase("dotnet run -c Release --project Nowhere -- e2e")]
    [TestCase("dotnet run -c Release -- e2e")]
    [TestCase("dotnet test Nowhere -c Release")]
    [TestCase("dotnet test Duplicati.UnitTest --filter \"TestCategory=Long&FullyQualifiedName~NoSuchTests\"")]
    [TestCase("dotnet test Duplicati.UnitTest --filter \"Name=KillTests\"")]
    [TestCase("dotnet test Duplicati.UnitTest --filter \"TestCategory=Lengthy\"")]
    [TestCase("dotnet tool install Duplicati.NoTool")]
    [TestCase("Nowhere/nothing.sh")]
    [TestCase("42 files restored")]
    public void A_command_that_would_not_work_is_found(string line) => Assert.That(CommandCheck.Problems(line), Is.Not.Empty);

    [Test]
    public void Commands_are_read_from_blocks_for_a_shell_and_from_the_text()
    {
        string[] text =
        [
            "One `duplicati-db help`, `no command`, `e2e --repeat 3` and `suite`.",
            "```",
            "bench() { dotnet run --project P -- \"$@\"; }",
            "bench e2e",
            "# remark",
            "cd x",
            "```",
            "```text",
            "output",
            "```",
            "```csharp",
            "code",
            "```",
            "```sh",
            "bench",
            "```",
        ];
        var found = DocumentLine.Of("d", text);
        Assert.That(
            found.Select(x => $"{x.Number} {x.Text}"),
            Is.EqualTo(
                new[]
                {
                    "1 duplicati-db help",
                    "1 dotnet run -c Release --project Duplicati.Benchmarks -- e2e --repeat 3",
                    "4 dotnet run --project P -- e2e",
                    "6 cd x",
                    "15 bench",
                }
            )
        );
    }

    // A file's name, with folders or without; Xxx stands for any.
    [GeneratedRegex(@"`((?!Xxx)[\w.-]+(?:/[\w. -]+)*\.(?:cs|csproj|sh|sql|targets))`")]
    private static partial Regex SourceName();
}
