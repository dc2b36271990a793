// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Engine.Find;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.Tool.Finding;

/// <summary>What is asked about blocks, files and volumes goes by indexes.</summary>
[TestFixture]
internal sealed class FindPlanTests
{
    // A row a volume, a version, or a transfer of the last month.
    private static readonly string[] s_small = ["Remotevolume", "Fileset", "RemoteOperation", "IndexBlockLink"];

    private static IEnumerable<TestCaseData> Statements =>
        from constant in SqlConstants.In(typeof(BlockUses).Assembly)
        where constant.Type.Namespace == typeof(BlockUses).Namespace && constant.Type != typeof(DataFolder)
        select new TestCaseData(constant.Sql).SetArgDisplayNames(constant.Name);

    [TestCaseSource(nameof(Statements))]
    public void A_statement_reads_no_large_table_whole(string sql)
    {
        using var database = new SampleDatabase();
        using var connection = SQLiteLoader.LoadConnection(database.Close());
        var plan = DumpQuery.Rows(connection, "EXPLAIN QUERY PLAN " + sql, row => row.GetString(3)).ToList();
        Assert.That(plan, Is.Not.Empty);
        Assert.That(plan.Where(x => x.Contains("AUTOMATIC", StringComparison.Ordinal)), Is.Empty);
        Assert.That(
            plan.Where(x => x.StartsWith("SCAN ", StringComparison.Ordinal)).Select(x => x.Split(' ')[1]).Except(s_small),
            Is.Empty,
            string.Join('\n', plan)
        );
    }
}
