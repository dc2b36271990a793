// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Configuration;
using Duplicati.Library.Main.Database;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool;

namespace Duplicati.UnitTest.Api;

/// <summary>Nothing is kept that nobody uses.</summary>
[TestFixture]
internal sealed class UnusedMembersTests
{
    // With whom they are for.
    private static readonly Dictionary<string, string> s_kept = new(StringComparer.Ordinal)
    {
        ["Duplicati.Engine.Configuration.TestBudget.set_Clock"] = "tests choose the time",
        ["Duplicati.Engine.Reports.DeleteChoices.set_Now"] = "tests choose the time",
        ["Duplicati.Library.Main.Database.BatchRebuild.Add"] = "callers of the batch members, see docs/linking.md",
        ["Duplicati.Library.Main.Database.Blocks.BlockMap.get_Bytes"] = "tests and benchmarks see what it takes",
        ["Duplicati.Library.Main.Database.Blocks.BlockMap.get_Tier"] = "tests see which structure is in use",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_FewestRows"] = "tests choose the limits",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_MostGaps"] = "as above",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_MostRowsInMemory"] = "as above",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_Share"] = "as above",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_ShareOfBlocksInOrder"] = "as above",
        ["Duplicati.Library.Main.Database.Session.DeferredIndexes.set_MostRowsAtOnce"] = "as above",
        ["Duplicati.Library.Main.Database.Recreate.RecreateBlocks.get_MapBytes"] = "tests and benchmarks see what it takes",
        ["Duplicati.Library.Main.Database.Recreate.RecreateFilelist.get_CacheBytes"] = "as above",
        ["Duplicati.Library.Main.Database.Recreate.SpillBuffer.get_FileBytes"] = "tests see that memory was not enough",
        ["Duplicati.Library.SQLiteHelper.Connections.PlannerStatistics.RefreshAsync"] = "for who must not be blocked",
        ["Duplicati.Library.SQLiteHelper.Files.DurableFiles.set_Standard"] = "tests let file operations fail",
        ["Duplicati.Library.SQLiteHelper.Statements.StatementCache.get_OpenStatements"] = "tests see that none is left open",
        ["Duplicati.Library.SQLiteHelper.Statements.StatementCache.set_Fault"] = "tests let statements fail",
        ["Duplicati.Library.SQLiteHelper.WriterQueue.CommitQueue.get_Statements"] = "tests count statements",
    };

    [Test]
    public void Every_member_has_a_user_in_the_product_or_a_reason()
    {
        var api = ApiReader
            .Read(typeof(SQLiteLoader).Assembly)
            .Concat(ApiReader.Read(typeof(ReusableTransaction).Assembly))
            .ToLookup(x => x.Text, x => x.Type);
        var listed = ApiBaselineTests.ReadBaseline().SelectMany(x => api[x]).ToHashSet(StringComparer.Ordinal);
        var found = UnusedMembers
            .Find(
                [
                    typeof(SQLiteLoader).Assembly,
                    typeof(ReusableTransaction).Assembly,
                    typeof(EngineOptions).Assembly,
                    typeof(ToolRoot).Assembly,
                ],
                type => listed.Contains(TypeText.Declared(type))
            )
            .Distinct()
            .ToList();
        foreach (var member in found)
            TestContext.Out.WriteLine(member);

        Assert.That(found.Except(s_kept.Keys), Is.Empty, "remove these, or name their user");
        Assert.That(s_kept.Keys.Except(found), Is.Empty, "used, or gone: take these off the list");
    }
}
