// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Tool.Pages;

/// <summary>
/// Each page of a small database is damaged in turn, and what the tool says is followed to the letter: every row that is not on that page
/// is there afterwards.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class DamagedPageTests
{
    private const int Most = 3;

    private DamagedPageCase m_case = null!;

    [OneTimeSetUp]
    public async Task Make()
    {
        m_case = await DamagedPageCase.CreateAsync();
        TestContext.Progress.WriteLine($"{m_case.Map.Count} pages, {m_case.Own.Count} rows that only the database has");
    }

    [OneTimeTearDown]
    public void Remove() => m_case.Dispose();

    [Test]
    public Task A_page_of_zeros_costs_no_row_of_another() => DamageEachAsync(1, 1, page => page.Clear());

    [TestCase(3)]
    [TestCase(1, Explicit = true, Category = LongRun.Category)]
    public async Task A_page_of_anything_or_with_a_changed_head_costs_no_row_of_another(int everyWhich)
    {
        var random = new Random(LongRun.Seed());
        await DamageEachAsync(
            1 + random.Next(everyWhich),
            everyWhich,
            page =>
            {
                var head = page.StartsWith("SQLite format 3"u8) ? 100 : 0;
                if (random.Next(2) == 0)
                    random.NextBytes(page);
                else
                    page[head + random.Next(page[head] < 8 ? 12 : 8)] ^= (byte)random.Next(1, 256);
            }
        );
    }

    private delegate void Damage(Span<byte> page);

    private async Task DamageEachAsync(int first, int step, Damage damage)
    {
        var failures = new List<string>();
        var walks = new SortedDictionary<string, int>(StringComparer.Ordinal);
        for (var page = first; page <= m_case.Map.Count; page += step)
        {
            var damaged = (byte[])m_case.Whole.Clone();
            damage(damaged.AsSpan((page - 1) * m_case.Map.PageSize, m_case.Map.PageSize));
            m_case.Begin(damaged);
            var chain = new List<(string Command, ToolRun Run)>();
            try
            {
                await FollowAsync(page, damaged, chain);
            }
            catch (Exception ex)
            {
                failures.Add($"page {page} of {m_case.Map.Owner(page)}: {ex.Message}\n{FollowedAdvice.Text(chain)}");
            }

            var walk = string.Join(", ", chain.Select(x => x.Command.Split(' ')[0]));
            walks[walk] = walks.GetValueOrDefault(walk) + 1;
        }

        TestContext.Out.WriteLine(string.Join("; ", walks.Select(x => $"{x.Key}: {x.Value}")));
        Assert.That(failures, Is.Empty);
    }

    private async Task FollowAsync(int page, byte[] damaged, List<(string Command, ToolRun Run)> chain)
    {
        chain.AddRange(await FollowedAdvice.FollowAsync(m_case.Check, Most));
        var first = chain[0].Run;
        if (chain.Count == 1)
        {
            Assert.That(first.Code, Is.EqualTo(ExitCode.Ok), "neither sound nor any advice");
            m_case.AssertRows(page, isSeen: false);
            return;
        }

        AssertTold(page, first);
        var last = await ToolRun.RunAsync(m_case.Check);
        chain.Add(("check", last));
        Assert.That(last.Code, Is.EqualTo(ExitCode.Ok), "the advice does not lead to the end");
        m_case.AssertKept(damaged);
        m_case.AssertRows(page, isSeen: true);
        await m_case.AssertEqualsCleanAsync(page);
    }

    // What it says of rows that only the database has must be so.
    private void AssertTold(int page, ToolRun check)
    {
        var (name, table) = m_case.Map.Owner(page);
        if (check.Code != ExitCode.Found)
        {
            Assert.That(table, Is.EqualTo(DamagedPageCase.Schema), "only the schema is needed to tell what is damaged");
            Assert.That(check.HelpId, Is.EqualTo("DatabaseIsDamaged").Or.EqualTo("DatabaseFormatError"));
            return;
        }

        var findings = check.Items("findings");
        if (table.Length > 0 && table != DamagedPageCase.Schema)
            Assert.That(
                findings.Select(x => x.GetProperty("what").GetString()),
                Has.Some.Contains($"in table {table}:").Or.Some.Contains(table).IgnoreCase
            );
        foreach (
            var own in findings.Select(x => x.TryGetProperty("onlyHere", out var found) ? found : (JsonElement?)null).OfType<JsonElement>()
        )
        {
            var hit = own.GetProperty("table").GetString()!;
            var all = m_case.Own.Keys.Count(x => x.Table == hit);
            var rows = own.GetProperty("rows").GetInt64();
            Assert.That(rows, Is.AtLeast(all - m_case.Map.RowsOn(page, hit).Count), $"rows of {hit}");
            // A head may be damaged in a way that hides no row.
            if (hit == table && name == table && rows < all)
                Assert.That(own.GetProperty("unreadable").GetInt64(), Is.Positive, $"pages of {hit}");
        }
    }
}
