// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Main.Contract.Calls;

/// <summary>A test that holds a row without calling a member named there.</summary>
/// <param name="Rows">A regular expression for the rows.</param>
/// <param name="Tests">A regular expression for class and test.</param>
/// <param name="Reason">Why it holds the row all the same.</param>
internal sealed record ContractCallException(string Rows, string Tests, string Reason)
{
    public bool Fits(string row, string type, string test) =>
        Regex.IsMatch(row, $"^(?:{Rows})$") && Regex.IsMatch($"{type}.{test}", $"^(?:{Tests})$");
}

/// <summary>All of them; one that is not needed fails the test that uses the list.</summary>
internal static class ContractCallExceptions
{
    public static IReadOnlyList<ContractCallException> All { get; } =
    [
        new(".*", @"(ApiBaselineTests|LinkingRulesTests)\..*", "read signatures or sources instead of calling"),
        new("A 1.8 constants|A 6.16 BackupType", ".*", "constants are compiled into the caller"),
        new("A 3.2 pragma list", @"ConnectionPresetTests\..*", "reads the preset that every connection is opened with"),
        new("A 3.3 resource discovery", ".*", "the scripts are looked for without a database"),
        new("A 6.9 row sets", @"FileListTests\..*", "the statements behind the member are run as such"),
        new("A 8.2 age", @"CompactReportTests\..*", "the ages are calculated by a type of their own"),
        new(
            "A 12 row [67]",
            @"Volume(Dependency|Removal)?Tests\..*",
            "the row tells in words what becomes of volumes; the names in it are of other tests"
        ),
        new(@"B 9\.[78] .*", ".*", "rules and ideas are about every member of a rebuild; the names in them are examples"),
    ];
}
