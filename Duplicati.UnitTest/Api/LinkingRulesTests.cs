// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using System.Text.RegularExpressions;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Api;

/// <summary>What the sources of the data layer must keep to so that they compile inside Duplicati core.</summary>
[TestFixture]
internal sealed partial class LinkingRulesTests
{
    private static readonly string[] s_namespaces =
    [
        "System",
        "Microsoft.Data.Sqlite",
        "Duplicati.Library.SQLiteHelper",
        "Duplicati.Library.Main",
        "Duplicati.Library.Logging",
        "Duplicati.Library.Interface",
        "Duplicati.Library.Utility",
        "Duplicati.Library.Common.IO",
        "Duplicati.Library.Localization",
        "Duplicati.Library.ResultSerialization",
        "Microsoft.Win32.SafeHandles",
    ];

    private static readonly string[] s_banned =
    [
        @"\bunsafe\b",
        @"\bstackalloc\b[^;]*\*",
        @"Thread\.Sleep",
        @"File\.(Copy|Move|Open\w*)\(",
        "NotImplementedException",
        @"\.ExecuteReaderAsync\(\s*(token|cancellationToken)?\s*\)",
        @"\.ExecuteNonQueryAsync\(\s*(token|cancellationToken)?\s*\)",
        @"\.ExecuteScalarAsync\(\s*(token|cancellationToken)?\s*\)",
    ];

    // By file, with the reason.
    private static readonly Dictionary<string, string> s_allowed = new(StringComparer.Ordinal)
    {
        ["CommandCalls.cs"] = "implements the monitored overloads",
        ["LocalDatabase.FilteredFilenameTable.cs"] = "the contract asks for a constructor that throws NotImplementedException",
        ["LocalDatabase.Legacy.cs"] = "the contract asks for a constructor that throws NotImplementedException",
    };

    private static IEnumerable<string> Sources => SourcesOf("Duplicati.Library.Main.Database");

    private static IEnumerable<string> SourcesOf(string folder) =>
        Directory
            .EnumerateFiles(Path.Combine(Repository.Root, folder), "*.cs", SearchOption.AllDirectories)
            .Where(x => !x.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal));

    [Test]
    public void The_folder_uses_no_namespace_that_core_does_not_offer()
    {
        var foreign = Sources
            .SelectMany(file => Using().Matches(File.ReadAllText(file)).Select(x => (file, x.Groups[1].Value)))
            .Where(x => !s_namespaces.Any(allowed => x.Value == allowed || x.Value.StartsWith(allowed + ".", StringComparison.Ordinal)))
            .Select(x => $"{Path.GetFileName(x.file)}: {x.Value}");
        Assert.That(foreign, Is.Empty);
    }

    [Test]
    [Contract("C 0.2 fact 3")]
    public void The_folder_holds_no_unsafe_code_and_no_banned_call()
    {
        var found = Sources
            .Where(file => !s_allowed.ContainsKey(Path.GetFileName(file)))
            .SelectMany(file =>
                s_banned.Where(x => Regex.IsMatch(WithoutComments(File.ReadAllText(file)), x)).Select(x => $"{Path.GetFileName(file)}: {x}")
            );
        Assert.That(found, Is.Empty);
    }

    [Test]
    [Contract("A 0 project settings")]
    public void Every_file_says_what_null_means_in_it()
    {
        var silent = Sources
            .Concat(SourcesOf("Duplicati.Library.SQLiteHelper"))
            .Where(file =>
                !File.ReadLines(file)
                    .First(x => x.Length > 0 && !x.StartsWith("//", StringComparison.Ordinal))
                    .StartsWith("#nullable ", StringComparison.Ordinal)
            )
            .Select(Path.GetFileName);
        Assert.That(silent, Is.Empty, "core's project may have another setting; usings must be written out too");
    }

    [Test]
    public void The_project_needs_no_package_of_its_own()
    {
        var project = File.ReadAllText(
            Path.Combine(Repository.Root, "Duplicati.Library.Main.Database", "Duplicati.Library.Main.Database.csproj")
        );
        Assert.That(project, Does.Not.Contain("PackageReference"));
        Assert.That(project, Does.Contain("<AllowUnsafeBlocks>false</AllowUnsafeBlocks>"));
    }

    [Test]
    [Contract("C 0.2 fact 1")]
    public void The_unit_tests_of_core_are_let_in_by_the_file_that_core_has_it_in()
    {
        var file = File.ReadAllText(Path.Combine(Repository.Root, "Duplicati.Library.Main.Database", "Local", "LocalDatabase.cs"));
        Assert.That(file, Does.Contain("[assembly: InternalsVisibleTo(\"Duplicati.UnitTest\")]"));
    }

    [Test]
    [Contract("C 0.2 fact 2")]
    [Contract("A 4.6 markers")]
    public void Both_schemas_are_found_under_the_names_of_their_markers()
    {
        var names = typeof(DatabaseSchemaMarker).Assembly.GetManifestResourceNames();
        Assert.That(names, Does.Contain("Duplicati.Library.Main.Database.Local.Database_schema.Schema.sql"));
        Assert.That(names, Does.Contain("Duplicati.Library.Main.Database.Sync.Database_schema.Schema.sql"));
        Assert.That(
            names.Count(x => x.StartsWith(typeof(DatabaseSchemaMarker).Namespace + ".Database_schema.", StringComparison.Ordinal)),
            Is.EqualTo(20)
        );
        Assert.That(typeof(Library.Main.Database.Sync.DatabaseSchemaMarker).GetTypeInfo().IsPublic, Is.True);
    }

    private static string WithoutComments(string text) => Comment().Replace(text, "");

    [GeneratedRegex(@"^using (?:static )?(?:\w+ = )?([\w.]+);", RegexOptions.Multiline)]
    private static partial Regex Using();

    [GeneratedRegex(@"//.*$", RegexOptions.Multiline)]
    private static partial Regex Comment();
}
