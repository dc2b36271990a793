// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Reflection;
using System.Text.RegularExpressions;
using Duplicati.Benchmarks;
using Duplicati.Tool;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Api;

/// <summary>
/// Tells what is wrong with a command line of a document. Nothing is run: programs of this repository parse their words, paths and tests
/// must be there.
/// </summary>
internal static partial class CommandCheck
{
    // Of the shell, or of others; what they are given is theirs.
    private static readonly string[] s_others = ["export", "cd", "mkdir", "mv", "git", "rclone", "perf"];

    /// <summary>What is wrong; empty if nothing is.</summary>
    public static IEnumerable<string> Problems(string line)
    {
        var command = Rest().Replace(line, "");
        string[] words = [.. CommandLineParser.SplitCommandLine(command)];
        return words switch
        {
            ["time", ..] => Problems(command["time".Length..].TrimStart()),
            ["duplicati-db", ..] => Tool(command),
            ["dotnet", "run", ..] => Run(words),
            ["dotnet", "tool", "install", var package, ..] => Projects(Repository.Root)
                .Any(x => File.ReadAllText(x).Contains($"<PackageId>{package}</PackageId>", StringComparison.Ordinal))
                ? []
                : [$"no project makes the package {package}"],
            ["dotnet", "tool", "restore"] => [],
            ["dotnet", "csharpier", ..] => Manifest.Contains("\"csharpier\"", StringComparison.Ordinal)
                ? []
                : ["the manifest of tools has no csharpier"],
            ["dotnet", "test", var project, ..] => [.. Project(project), .. Filter(words)],
            ["dotnet", "build" or "pack" or "publish" or "restore" or "add", var project, ..] => Project(project),
            [var other, ..] when s_others.Contains(other) => [],
            [var script] when script.Contains('/', StringComparison.Ordinal) => File.Exists(Repository.File(script))
                ? []
                : [$"there is no {script}"],
            _ => ["no command that is known; a block of output is to be marked as ```text"],
        };
    }

    private static string Manifest => File.ReadAllText(Repository.File(".config/dotnet-tools.json"));

    private static IEnumerable<string> Tool(string line)
    {
        var root = ToolRoot.Of();
        return CommandForms.Of(line).SelectMany(form => Parsed(root.Parse(form)));
    }

    private static IEnumerable<string> Run(string[] words)
    {
        var project = ValueOf(words, "--project");
        if (project is null)
            return ["--project is missing"];
        string[] arguments = [.. words.SkipWhile(x => x != "--").Skip(1)];
        return project switch
        {
            _ when arguments.Length == 0 => Project(project),
            "Duplicati.Benchmarks" => Parsed(BenchmarkRoot.Create().Parse(arguments)),
            "Tools/duplicati-db" => Parsed(ToolRoot.Of().Parse(arguments)),
            _ => Project(project),
        };
    }

    private static IEnumerable<string> Parsed(ParseResult parsed) =>
        [.. parsed.Errors.Select(x => x.Message), .. ToolRoot.Mistyped(parsed).Select(x => $"{x} is no option")];

    private const string SolutionOfCore = "Duplicati.slnx";

    private static IEnumerable<string> Project(string path)
    {
        var full = Repository.File(path);
        return path == SolutionOfCore || File.Exists(full) || (Directory.Exists(full) && Directory.EnumerateFiles(full, "*.csproj").Any())
            ? []
            : [$"{path} is no project"];
    }

    private static IEnumerable<string> Projects(string folder) =>
        Directory
            .EnumerateDirectories(folder)
            .SelectMany(x =>
                Directory
                    .EnumerateFiles(x, "*.csproj")
                    .Concat(Directory.EnumerateDirectories(x).SelectMany(y => Directory.EnumerateFiles(y, "*.csproj")))
            );

    private static IEnumerable<string> Filter(string[] words) =>
        ValueOf(words, "--filter") is not { } filter
            ? []
            : filter.Split('&', '|').Where(x => !KnownTests.Has(x.Trim('(', ')', ' '))).Select(x => $"no test fits {x}");

    private static string? ValueOf(string[] words, string option) => words.SkipWhile(x => x != option).Skip(1).FirstOrDefault();

    // A remark, and what sends a command to the background.
    [GeneratedRegex(@"\s+#\s.*$|\s+&$")]
    private static partial Regex Rest();
}

/// <summary>The names and categories of the tests of this assembly, as a filter of <c>dotnet test</c> sees them.</summary>
internal static partial class KnownTests
{
    private static readonly (Type Type, MethodInfo Method)[] s_all =
    [
        .. typeof(KnownTests)
            .Assembly.GetTypes()
            .Where(x => x.IsClass)
            .SelectMany(type => type.GetMethods().Where(IsTest).Select(method => (type, method))),
    ];

    /// <summary>Whether one of them fits one term of a filter.</summary>
    public static bool Has(string term)
    {
        if (Term().Match(term) is not { Success: true } match)
            return false;
        var value = match.Groups["value"].Value;
        return s_all.Any(x =>
            Values(x.Type, x.Method, match.Groups["property"].Value)
                .Any(y => match.Groups["operator"].Value == "=" ? y == value : y.Contains(value, StringComparison.Ordinal))
        );
    }

    private static IEnumerable<string> Values(Type type, MethodInfo method, string property) =>
        property switch
        {
            "Name" => [method.Name],
            "TestCategory" => type.GetCustomAttributes<CategoryAttribute>()
                .Concat(method.GetCustomAttributes<CategoryAttribute>())
                .Select(x => x.Name),
            _ => [$"{type.FullName}.{method.Name}"],
        };

    private static bool IsTest(MethodInfo method) =>
        method
            .GetCustomAttributes()
            .Any(x => x is NUnit.Framework.Interfaces.ITestBuilder or NUnit.Framework.Interfaces.ISimpleTestBuilder);

    [GeneratedRegex(@"^(?<property>FullyQualifiedName|Name|TestCategory)!?(?<operator>[=~])(?<value>.+)$")]
    private static partial Regex Term();
}
