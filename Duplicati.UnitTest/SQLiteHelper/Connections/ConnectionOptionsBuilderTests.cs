// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
internal sealed class ConnectionOptionsBuilderTests : ConnectionTestBase
{
    [Test]
    public void An_option_overrides_its_preset_and_leaves_the_others()
    {
        var options = ConnectionOptions.From("small").Set("CACHE_SIZE", "-8192").Build();

        Assert.That(options["cache_size"], Is.EqualTo("-8192"));
        Assert.That(options["temp_store"], Is.EqualTo("FILE"));
        Assert.That(options.PresetName, Is.EqualTo("small"));
        Assert.That(options.IsOverridden("cache_size"), Is.True);
        Assert.That(options.IsOverridden("temp_store"), Is.False);
    }

    [Test]
    public void The_last_value_given_for_a_name_counts() =>
        Assert.That(ConnectionOptions.From("default").Set("threads", 4).Set("threads", 1).Build()["threads"], Is.EqualTo("1"));

    [TestCaseSource(nameof(Overrides))]
    public void Every_option_can_be_overridden_and_reads_back_from_the_connection(string name, string value, string expected)
    {
        using var scope = ConnectionOptions.From("default").Set(name, value).Build().Use();
        using var connection = SQLiteLoader.LoadConnection(Folder.File("local.sqlite"));

        Assert.That(connection.Pragma(name), Is.EqualTo(expected));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public void The_overrides_above_cover_every_option() =>
        Assert.That(Overrides().Select(test => (string)test.Arguments[0]!), Is.EquivalentTo(PragmaCatalogue.Names));

    [Test]
    public void An_unknown_name_is_refused_with_the_list_of_names()
    {
        var error = Assert.Throws<ArgumentException>(() => ConnectionOptions.From("default").Set("cachesize", "1"));
        Assert.That(
            error.Message,
            Does.Contain("'cachesize'").And.Contain("durability").And.Contain("cache_size").And.Contain("wal_autocheckpoint")
        );
    }

    [TestCase("synchronous", "BANANA", "OFF, NORMAL, FULL, EXTRA")]
    [TestCase("journal_mode", "WAL; DROP TABLE Block", "WAL")]
    [TestCase("cache_size", "64 MiB", "KiB")]
    [TestCase("threads", "9", "from 0 to 8")]
    [TestCase("mmap_size", "-1", "bytes from 0 to 2147418112")]
    [TestCase("page_size", "1000", "4096")]
    [TestCase("fullfsync", "maybe", "ON, OFF")]
    [TestCase("durability", "most", "none, normal, full")]
    [TestCase("durability", "2", "none, normal, full")]
    public void A_value_that_an_option_does_not_take_is_refused_with_what_it_takes(string name, string value, string takes)
    {
        var error = Assert.Throws<ArgumentException>(() => ConnectionOptions.From("default").Set(name, value));
        Assert.That(error.Message, Does.Contain(name).And.Contain($"'{value}'").And.Contain(takes));
    }

    [Test]
    public void A_limit_of_the_write_ahead_log_is_refused_without_one() =>
        AssertConflict(
            ConnectionOptions.From("default").Set("journal_mode", "DELETE").Set("wal_autocheckpoint", "500"),
            "journal_mode=WAL"
        );

    [Test]
    public void A_limit_of_the_write_ahead_log_that_came_with_the_preset_goes_with_it() =>
        Assert.That(ConnectionOptions.From("throughput").Set("journal_mode", "DELETE").Build()["wal_autocheckpoint"], Is.Null);

    [Test]
    public void Durability_and_synchronous_together_are_refused() =>
        AssertConflict(ConnectionOptions.From("default").Set("durability", "full").Set("synchronous", "OFF"), "give one of them");

    [Test]
    public void A_durable_rebuild_is_refused() =>
        AssertConflict(ConnectionOptions.From("rebuild").WithDurability(Durability.Full), "rebuild is not durable");

    [Test]
    public void Durability_without_a_journal_on_disk_is_refused() =>
        AssertConflict(ConnectionOptions.From("default").Set("journal_mode", "MEMORY").WithDurability(Durability.Full), "journal");

    [Test]
    public void Full_flushes_where_nothing_is_flushed_are_refused() =>
        AssertConflict(ConnectionOptions.From("default").Set("synchronous", "OFF").Set("fullfsync", "ON"), "fullfsync");

    [TestCase(Durability.None, "0", "0")]
    [TestCase(Durability.Normal, "1", "0")]
    [TestCase(Durability.Full, "2", "1")]
    public void Durability_is_an_axis_of_its_own(Durability durability, string synchronous, string fullFsync)
    {
        foreach (var preset in new[] { "default", "throughput", "small", "durable", "stock" })
        {
            using var scope = ConnectionOptions.From(preset).WithDurability(durability).Build().Use();
            using var connection = SQLiteLoader.LoadConnection(Folder.File(preset + ".sqlite"));

            Assert.That(connection.Pragma("synchronous"), Is.EqualTo(synchronous), preset);
            Assert.That(connection.Pragma("fullfsync"), Is.EqualTo(fullFsync), preset);
        }
    }

    [Test]
    public void Durability_is_chosen_by_name_too() =>
        Assert.That(ConnectionOptions.From("small").Set("durability", "Full").Build()["synchronous"], Is.EqualTo("FULL"));

    [Test]
    public void The_refresh_of_statistics_can_be_chosen()
    {
        Assert.That(ConnectionOptions.From("default").WithStatisticsRefresh(false).Build().RefreshesStatistics, Is.False);
        Assert.That(ConnectionOptions.From("default").Build().RefreshesStatistics, Is.True);
        Assert.That(ConnectionOptions.From("stock").Build().RefreshesStatistics, Is.False);
    }

    private static IEnumerable<TestCaseData> Overrides()
    {
        yield return new("busy_timeout", "1234", "1234");
        yield return new("page_size", "8192", "8192");
        yield return new("synchronous", "EXTRA", "3");
        yield return new("fullfsync", "on", "1");
        yield return new("temp_store", "FILE", "1");
        yield return new("journal_mode", "PERSIST", "persist");
        yield return new("cache_size", "-5000", "-5000");
        yield return new("mmap_size", "1048576", "1048576");
        yield return new("threads", "3", "3");
        yield return new("wal_autocheckpoint", "77", "77");
        yield return new("journal_size_limit", "65536", "65536");
        yield return new("analysis_limit", "17", "17");
    }

    private static void AssertConflict(ConnectionOptionsBuilder builder, string because)
    {
        var error = Assert.Throws<ArgumentException>(() => builder.Build());
        Assert.That(error.Message, Does.Contain(because));
    }
}
