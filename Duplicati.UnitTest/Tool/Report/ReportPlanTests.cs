// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.Tool.Report;

/// <summary>What a report asks goes by indexes, or reads in one pass what it says.</summary>
[TestFixture]
internal sealed class ReportPlanTests
{
    // A row a version, a folder, a content once found, or a record of the last month; and what is read once as a whole.
    private static readonly string[] s_scanned =
    [
        "Fileset",
        "Sums",
        "temp.FirstSeen",
        "RemoteOperation",
        "LogData",
        "Log",
        "Blocks",
        "FileLookup/nn_FileLookup_BlockMeta",
        "BlocksetEntry/BlocksetEntry_IndexIdsBackwards",
    ];

    private static IEnumerable<TestCaseData> Statements =>
        from constant in SqlConstants.In(typeof(OverviewReads).Assembly)
        where constant.Type == typeof(OverviewReads) && constant.Sql != OverviewReads.FIRST_SEEN
        select new TestCaseData(constant.Sql).SetArgDisplayNames(constant.Name);

    [TestCaseSource(nameof(Statements))]
    public void A_statement_scans_nothing_but_what_it_says(string sql)
    {
        using var database = new SampleDatabase();
        using var connection = SQLiteLoader.LoadConnection(database.Close());
        connection.Execute(OverviewReads.FIRST_SEEN);
        var plan = DumpQuery.Rows(connection, "EXPLAIN QUERY PLAN " + sql, row => row.GetString(3)).ToList();
        Assert.That(plan, Is.Not.Empty);
        Assert.That(plan.Where(x => x.Contains("AUTOMATIC", StringComparison.Ordinal)), Is.Empty, string.Join('\n', plan));
        Assert.That(
            plan.Where(x => x.StartsWith("SCAN ", StringComparison.Ordinal)).Select(Scanned).Except(s_scanned),
            Is.Empty,
            string.Join('\n', plan)
        );
    }

    private static string Scanned(string step)
    {
        var words = step.Split(' ');
        var index = Array.IndexOf(words, "INDEX");
        return index < 0 ? words[1] : $"{words[1]}/{words[index + 1]}";
    }
}
