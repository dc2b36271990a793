// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Api;

/// <summary>What the documents tell people to type is understood by the programs, and names what is there.</summary>
[TestFixture]
internal sealed class DocumentCommandsTests
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
}
