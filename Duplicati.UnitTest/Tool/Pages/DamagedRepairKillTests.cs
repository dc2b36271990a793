// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.SQLiteHelper.Files;
using Duplicati.Tool;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Tool.Pages;

/// <summary>Repairs of a damaged database in processes of their own, which are killed before each step on its files.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class DamagedRepairKillTests
{
    private const int Most = 3;

    private DamagedPageCase m_case = null!;

    [OneTimeSetUp]
    public async Task Make() => m_case = await DamagedPageCase.CreateAsync();

    [OneTimeTearDown]
    public void Remove() => m_case.Dispose();

    [TestCase("BlockHashSize")]
    [TestCase("FileLookup")]
    public async Task A_killed_repair_leaves_the_damaged_database_or_the_new_one(string damagedTree)
    {
        var page = Enumerable.Range(1, m_case.Map.Count).First(x => m_case.Map.Owner(x).Name == damagedTree);
        var damaged = (byte[])m_case.Whole.Clone();
        damaged.AsSpan((page - 1) * m_case.Map.PageSize, m_case.Map.PageSize).Clear();
        var kills = 0;
        for (var isKilled = true; isKilled; kills++)
        {
            m_case.Begin(damaged);
            isKilled = Repair(kills + 1);
            var isOld = File.ReadAllBytes(m_case.Database).AsSpan().SequenceEqual(damaged);
            Assert.That(isKilled || !isOld, Is.True);
            var chain = await FollowedAdvice.FollowAsync(m_case.Check, Most);
            Assert.That(chain.Count > 1 || !isOld, Is.True, $"nothing is told of the damaged one: {kills}");
            var last = await ToolRun.RunAsync(m_case.Check);
            Assert.That(
                last.Code,
                Is.EqualTo(ExitCode.Ok),
                $"killed before step {kills + 1}:\n{FollowedAdvice.Text(chain)}\n{last.Output}"
            );
            m_case.AssertKept(damaged);
            m_case.AssertRows(page, isSeen: true);
            await m_case.AssertEqualsCleanAsync(page);
        }

        TestContext.Out.WriteLine($"{kills - 1} kills");
        Assert.That(kills, Is.GreaterThan(3));
    }

    /// <returns>Whether it was killed.</returns>
    private bool Repair(int step)
    {
        var (code, _, error) = KilledChild.Run<Child>(m_case.Database + "-temporary", [$"{step}", .. m_case.Words("repair")]);
        if (code != 0)
            Assert.That(error, Does.Not.Contain("Exception"));
        return code != 0;
    }

    private sealed class Child : IChildProgram
    {
        public static int Run(string[] args)
        {
            var left = int.Parse(args[0], CultureInfo.InvariantCulture);
            using var steps = new FileSteps(
                (_, _) =>
                {
                    if (--left == 0)
                        ChildProgram.Die();
                }
            ).OfAll();
            return ToolRoot.RunAsync(args[1..], TextWriter.Null, TextWriter.Null, null, default).GetAwaiter().GetResult();
        }
    }
}
