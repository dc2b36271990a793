// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
public class ConnectionPresetTests : ConnectionTestBase
{
    private static IEnumerable<string> Names => ConnectionPreset.All.Select(preset => preset.Name);

    [Test]
    public void The_presets_are_found_by_name_whatever_the_letter_case()
    {
        Assert.That(Names, Is.EqualTo(new[] { "default", "throughput", "small", "durable", "rebuild", "stock" }));
        Assert.That(ConnectionPreset.Find(" Small "), Is.SameAs(ConnectionPreset.Small));
    }

    [Test]
    public void An_unknown_preset_is_refused_with_the_list_of_names()
    {
        var error = Assert.Throws<ArgumentException>(() => ConnectionPreset.Find("turbo"));
        Assert.That(error.Message, Does.Contain("'turbo'").And.Contain("default, throughput, small, durable, rebuild, stock"));
    }

    [TestCaseSource(nameof(Names))]
    public void Every_pragma_of_a_preset_is_one_of_the_catalogue_and_says_why(string name)
    {
        foreach (var pragma in ConnectionPreset.Find(name).Pragmas)
        {
            Assert.That(PragmaCatalogue.Find(pragma.Name)?.Canonical(pragma.Value), Is.Not.Null, pragma.ToString());
            Assert.That(pragma.Reason, Is.Not.Empty, pragma.ToString());
        }
    }

    [TestCaseSource(nameof(Names))]
    public void A_connection_opened_with_a_preset_has_all_its_values_and_logs_no_problem(string name)
    {
        using var scope = ConnectionPreset.Use(name);
        using var connection = SQLiteLoader.LoadConnection(Folder.File("local.sqlite"));

        foreach (var pragma in ConnectionPreset.Find(name).Pragmas)
            Assert.That(
                connection.Pragma(pragma.Name),
                Is.EqualTo(PragmaCatalogue.Find(pragma.Name)!.Canonical(pragma.Value)),
                pragma.ToString()
            );
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    [Contract("A 3.2 pragma list")]
    public void The_default_preset_has_the_documented_values()
    {
        var values = ConnectionPreset.Default.Pragmas.Select(pragma => pragma.ToString());
        Assert.That(
            values,
            Is.EquivalentTo(
                new[]
                {
                    "busy_timeout=10000",
                    "synchronous=NORMAL",
                    "temp_store=MEMORY",
                    "journal_mode=WAL",
                    "cache_size=-65536",
                    "mmap_size=67108864",
                    "threads=2",
                    "analysis_limit=400",
                }
            )
        );
    }

    [Test]
    public void The_stock_preset_leaves_what_the_engine_does_by_itself()
    {
        using var plain = Databases.Open(Folder.File("plain.sqlite"));
        using var scope = ConnectionPreset.Use("stock");
        using var stock = SQLiteLoader.LoadConnection(Folder.File("stock.sqlite"));

        foreach (var name in ConnectionPreset.All.SelectMany(x => x.Pragmas).Select(x => x.Name).Where(x => x != "busy_timeout"))
            Assert.That(stock.Pragma(name), Is.EqualTo(plain.Pragma(name)), name);
    }
}

/// <summary>A new folder for each test, and what is logged in the test.</summary>
public abstract class ConnectionTestBase : FolderTestBase
{
    private protected LogCapture Logged { get; private set; } = null!;

    [SetUp]
    public void BeginToListen() => Logged = new LogCapture();

    [TearDown]
    public void EndListening() => Logged.Dispose();
}
