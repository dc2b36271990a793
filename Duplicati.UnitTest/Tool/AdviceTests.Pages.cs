// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

// Databases of which pages are damaged.
internal sealed partial class AdviceTests
{
    [TestCase("BlockHashSize"), TestCase("Block"), TestCase("LogData"), Property(CASE, nameof(Advice.DamagedDatabase))]
    public async Task A_database_with_damaged_pages_is_repaired(string damagedTree)
    {
        var whole = await m_case.ReadableAsync();
        Databases.ZeroPage(m_case.Database, damagedTree);
        Assert.That((await m_case.RunAsync("verify")).Error, Does.Contain(Advice.DamagedDatabase()));
        var dry = await m_case.RunAsync("repair", "--check-indexes", "--dry-run");
        Assert.That(dry.Code, Is.AnyOf(ExitCode.Ok, ExitCode.Found), dry.Error);
        Assert.That(File.Exists(m_case.Database + ".backup"), Is.False);
        Assert.That((await m_case.RunAsync("verify")).Error, Does.Contain(Advice.DamagedDatabase()), "nothing was changed");

        var repair = await m_case.RunAsync("repair", "--check-indexes");

        Assert.That(repair.Code, Is.EqualTo(dry.Code), repair.Error);
        Assert.That(File.Exists(m_case.Database + ".backup"), Is.True);
        Assert.That((await m_case.RunAsync("verify")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    // All its pages can be read. It is left out of one change, and then counts again.
    [Test]
    public async Task An_index_that_does_not_fit_its_table_is_built_anew()
    {
        var whole = await m_case.ReadableAsync();
        var definition = SampleDatabase.Rows(m_case.Database, "SELECT \"sql\" FROM \"sqlite_master\" WHERE \"name\" = 'BlockHashSize'")[0];
        var hash = SampleDatabase.Rows(m_case.Database, "SELECT \"Hash\" FROM \"Block\" ORDER BY \"ID\" LIMIT 1")[0];
        SetHash("something else");
        Define(definition + " WHERE 0");
        SetHash(hash);
        Define(definition);
        var quick = await m_case.RunAsync("repair");
        Assert.That(quick.Code, Is.EqualTo(ExitCode.Ok), "reads pages only");
        var check = await m_case.RunAsync("check", "--deep");
        Assert.That(check.Output, Does.Contain(Advice.DamagedDatabase().Split('`')[1]));

        await ToolRun.OkAsync(m_case.RunAsync("repair", "--check-indexes"));
        Assert.That(File.Exists(m_case.Database + ".backup"), Is.True);
        Assert.That((await m_case.RunAsync("check", "--deep")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));

        void SetHash(string to) =>
            Databases.Execute(
                m_case.Database,
                $"UPDATE \"Block\" SET \"Hash\" = '{to}' WHERE \"ID\" = (SELECT MIN(\"ID\") FROM \"Block\")"
            );

        void Define(string sql) =>
            Databases.Execute(
                m_case.Database,
                $"PRAGMA writable_schema = ON; UPDATE \"sqlite_master\" SET \"sql\" = '{sql}' WHERE \"name\" = 'BlockHashSize'; PRAGMA writable_schema = RESET"
            );
    }

    [Test, Property(CASE, nameof(Advice.NotADatabase))]
    public async Task A_file_without_the_first_page_of_a_database_is_made_anew()
    {
        var whole = await m_case.ReadableAsync();
        m_case.Overwrite(1);
        var damaged = File.ReadAllBytes(m_case.Database);
        var check = await m_case.RunAsync("check");
        Assert.That((check.Code, check.HelpId), Is.EqualTo((ExitCode.Failed, "DatabaseFormatError")));
        Assert.That(check.Error, Does.Contain(Advice.NotADatabase()));

        var recreate = await m_case.RunAsync("recreate", "--overwrite");

        Assert.That(recreate.Code, Is.EqualTo(ExitCode.Found), "what only the database had is lost");
        Assert.That(File.ReadAllBytes(m_case.Database + ".backup"), Is.EqualTo(damaged));
        Assert.That((await m_case.RunAsync("verify")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }
}
