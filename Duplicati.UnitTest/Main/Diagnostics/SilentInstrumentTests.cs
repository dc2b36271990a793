// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Metrics;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Diagnostics;

/// <summary>What the instruments take while nobody listens: no memory. The time is measured by the benchmark <c>instruments</c>.</summary>
[TestFixture]
[NonParallelizable]
internal sealed class SilentInstrumentTests : BackupTestBase
{
    private const int Calls = 1000;

    private static readonly Func<DatabaseSession, bool> s_nothing = static _ => true;

    [Test]
    public void Watching_an_operation_allocates_nothing() => Assert.That(Allocated(() => Db.Session.StartWatch("Some")?.End()), Is.Zero);

    [Test]
    public void An_operation_allocates_nothing() => Assert.That(Allocated(() => Db.Session.Do(s_nothing, default)), Is.Zero);

    [Test]
    public void A_statement_allocates_nothing() =>
        Assert.That(
            Allocated(() =>
            {
                using var one = Db.Session.Take(One);
                one.Read();
            }),
            Is.Zero
        );

    [Test]
    public void The_report_of_a_commit_allocates_nothing() => Assert.That(Allocated(Db.Session.ReportCommit), Is.Zero);

    [Test]
    public void A_look_up_of_a_block_allocates_nothing()
    {
        var hash = BlockFixture.Hash(1);
        Assert.That(Allocated(() => Db.FindBlockIDAsync(hash, 1, default)), Is.Zero);
    }

    [Test]
    public void Nobody_listens_in_these_tests() => Assert.That(DatabaseInstruments.Activities.HasListeners(), Is.False);

    private const string One = "SELECT 1";

    private static long Allocated(Action call)
    {
        for (var i = 0; i < 10; i++)
            call();

        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < Calls; i++)
            call();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
