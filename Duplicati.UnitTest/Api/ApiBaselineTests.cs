// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using Duplicati.Library.Main.Database;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.Api;

/// <summary>Holds the API against the list of everything that the release this replaces offers.</summary>
[TestFixture]
public class ApiBaselineTests
{
    private const string BASELINE = "api-baseline-2.3.0.109.txt";
    private const string LATER = "api-after-2.3.0.109.txt";
    private const string ASSEMBLY_ATTRIBUTE = "assembly attribute";

    /// <summary>Members of listed types that the baseline lacks, with the reason for each.</summary>
    private static readonly Dictionary<string, string> s_allowedExtras = [];

    private static readonly string[] s_offer =
    [
        "CommitFailedException",
        "CommitQueue",
        "CommitQueueOptions",
        "ConcurrentDatabase",
        "ConnectionPreset",
        "DatabaseUpgradeException",
        "InsertBatch",
        "ReadConnection",
        "ReadConnectionPool",
        "Statement",
        "StatementCache",
    ];

    private static readonly Lazy<ApiLine[]> s_present = new(() =>
        [.. ApiReader.Read(typeof(SQLiteLoader).Assembly).Concat(ApiReader.Read(typeof(ReusableTransaction).Assembly))]
    );

    [Test]
    [Contract("C 0.2 types")]
    [Contract("C 13.2")]
    [Contract("C 13.2 what a line tells")]
    [Contract("A 1.8 constants")]
    [Contract("A 5.1 DatabaseSchemaMarker")]
    [Contract("A 5.9 HashLookupHelper")]
    [Contract("A 5.2 IRemoteVolume")]
    [Contract("A 5.5 IBackendManagerDatabase")]
    [Contract("A 5.11 overloads")]
    [Contract("A 6 signatures")]
    public void Every_line_of_the_baseline_is_present_except_the_listed_ones()
    {
        var baseline = ReadBaseline();
        var present = s_present.Value.Select(x => x.Text).ToHashSet(StringComparer.Ordinal);
        var missing = baseline.Where(x => !present.Contains(x)).ToList();
        var expected = ReadExpectedMissing();
        TestContext.Out.WriteLine($"{baseline.Length - missing.Count} of {baseline.Length} lines present");
        foreach (var line in missing)
            TestContext.Out.WriteLine($"missing: {line}");

        Assert.Multiple(() =>
        {
            Assert.That(missing.Except(expected), Is.Empty, "missing, and not in expected-missing.txt");
            Assert.That(expected.Where(present.Contains), Is.Empty, "present: remove these from expected-missing.txt");
            Assert.That(expected.Except(baseline), Is.Empty, "in expected-missing.txt, but not in the baseline");
        });
    }

    [Test]
    [Contract("C 13.2 both directions")]
    public void Listed_types_have_no_further_public_or_protected_members()
    {
        var baseline = ReadBaseline().ToHashSet(StringComparer.Ordinal);
        var types = baseline
            .Select(x => s_present.Value.FirstOrDefault(y => y.Text == x)?.Type)
            .OfType<string>()
            .ToHashSet(StringComparer.Ordinal);
        var extras = s_present
            .Value.Where(x => x.IsVisible && types.Contains(x.Type) && !baseline.Contains(x.Text))
            .Select(x => x.Text)
            .ToList();
        foreach (var line in extras)
            TestContext.Out.WriteLine($"extra: {line}");

        Assert.Multiple(() =>
        {
            Assert.That(extras.Except(s_allowedExtras.Keys), Is.Empty);
            Assert.That(s_allowedExtras.Keys.Except(extras), Is.Empty, "no longer there: remove from the list");
        });
    }

    [Test]
    [Contract("D 2")]
    public void Each_later_state_has_as_many_lines_as_the_contract_says()
    {
        var lines = File.ReadLines(Beside(BASELINE))
            .Count(x => !x.StartsWith('#') && !x.StartsWith(ASSEMBLY_ATTRIBUTE, StringComparison.Ordinal));
        var expected = lines;
        foreach (var line in File.ReadLines(Beside(LATER)).Skip(2))
        {
            if (!line.StartsWith('#'))
            {
                lines++;
                continue;
            }

            Assert.That(lines, Is.EqualTo(expected), $"before {line}");
            expected = int.Parse(line.Split(": ")[1], CultureInfo.InvariantCulture);
        }

        Assert.That(lines, Is.EqualTo(expected));
    }

    [Test]
    [Contract("C 13.2 both directions")]
    public void Every_other_type_of_the_linked_folder_is_internal()
    {
        var baseline = ReadBaseline().ToHashSet(StringComparer.Ordinal);
        var visible = ApiReader
            .Read(typeof(ReusableTransaction).Assembly)
            .Where(x =>
                x.Text.StartsWith(x.Type, StringComparison.Ordinal)
                && IsTypeLine(x)
                && x.Accessibility == "public"
                && !baseline.Contains(x.Text)
            );

        Assert.That(
            visible
                .Where(x => typeof(ReusableTransaction).Assembly.GetTypes().Any(y => y.IsVisible && TypeText.Declared(y) == x.Type))
                .Select(x => x.Text),
            Is.Empty
        );
    }

    [Test]
    public void The_helper_shows_what_core_uses_and_its_offer_to_other_programs()
    {
        var listed = ReadBaseline().ToHashSet(StringComparer.Ordinal);
        var ofCore = s_present.Value.Where(x => listed.Contains(x.Text)).Select(x => x.Type).ToHashSet(StringComparer.Ordinal);
        var others = typeof(SQLiteLoader)
            .Assembly.GetExportedTypes()
            .Where(x => !x.IsNested && !ofCore.Contains(TypeText.Declared(x)))
            .Select(x => x.Name);
        Assert.That(others, Is.EquivalentTo(s_offer), "docs/linking.md lists them");
    }

    private static bool IsTypeLine(ApiLine line) => line.Text.Length == line.Type.Length || line.Text[line.Type.Length] == ' ';

    internal static string[] ReadBaseline() =>
        [
            .. File.ReadLines(Beside(BASELINE))
                .Concat(File.ReadLines(Beside(LATER)))
                .Where(x => x.Length > 0 && !x.StartsWith('#') && !x.StartsWith(ASSEMBLY_ATTRIBUTE, StringComparison.Ordinal))
                .Select(ApiLine.Normalize),
        ];

    /// <summary>One line of the baseline a line; a line that begins with # gives the reason for those below it.</summary>
    private static string[] ReadExpectedMissing()
    {
        var lines = File.ReadAllLines(Beside("expected-missing.txt")).Where(x => x.Length > 0).ToArray();
        Assert.That(lines.FirstOrDefault() ?? "#", Does.StartWith("#"), "the first line of expected-missing.txt gives a reason");
        return [.. lines.Where(x => !x.StartsWith('#')).Select(ApiLine.Normalize)];
    }

    private static string Beside(string name) => Repository.File("Duplicati.UnitTest", "Api", name);
}
