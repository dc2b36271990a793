// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Backup;

[TestFixture]
public class BackupPlanTests
{
    private const int Steps = 700;

    [Test]
    [Contract("A 7.2")]
    [Contract("A 7.3")]
    [Contract("A 13 row Q1")]
    public async Task A_random_backup_leaves_the_tables_of_plain_statements(
        [Range(1, 4)] int seed,
        [Values(0L, 200_000L, 1L << 30)] long mapBytes
    )
    {
        await using var plan = new BackupPlan(seed);
        await plan.BeginAsync();
        BlockOptions.Of(plan.Real.Database.Session).MapBytes = mapBytes;
        for (var step = 0; step < Steps; step++)
            await plan.StepAsync();
        plan.CompareTables();
    }
}
