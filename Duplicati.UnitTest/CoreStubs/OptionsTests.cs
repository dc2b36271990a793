// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Core = Duplicati.Library.Utility.Utility;

namespace Duplicati.UnitTest.CoreStubs;

[TestFixture]
public class OptionsTests
{
    private static Options With(string name, string? value) => new(new Dictionary<string, string?> { [name] = value });

    [Test]
    public void Defaults_are_those_of_the_program()
    {
        var options = new Options([]);
        Assert.That(options.SlowQueryThreshold, Is.EqualTo(TimeSpan.FromMinutes(30)));
        Assert.That(DateTime.Now - options.LogRetention, Is.EqualTo(TimeSpan.FromDays(30)).Within(TimeSpan.FromHours(2)));
        Assert.That(options.Blocksize, Is.EqualTo(1 << 20));
        Assert.That(options.BlockhashSize, Is.EqualTo(32));
        Assert.That((options.BlockHashAlgorithm, options.FileHashAlgorithm), Is.EqualTo(("SHA256", "SHA256")));
        Assert.That(
            (options.ProfileAllDatabaseQueries, options.StoreMetadataContentInDatabase, options.DisableAdsRestore),
            Is.EqualTo((false, false, false))
        );
        Assert.That(options.Time.Ticks, Is.Zero);
        Assert.That(options.Version, Is.Null);
        Assert.That(options.FullRemoteVerification, Is.EqualTo(Options.RemoteTestStrategy.False));
    }

    [TestCase(null, true)]
    [TestCase("", true)]
    [TestCase("true", true)]
    [TestCase("off", false)]
    public void A_switch_is_on_without_a_value(string? value, bool expected) =>
        Assert.That(With("store-metadata-content-in-database", value).StoreMetadataContentInDatabase, Is.EqualTo(expected));

    [Test]
    public void Versions_are_numbers_and_ranges() =>
        Assert.That(With("version", "0, 2-4,7").Version, Is.EqualTo(new long[] { 0, 2, 3, 4, 7 }));

    [Test]
    public void A_time_is_local_and_absolute() =>
        Assert.That(Core.NormalizeDateTimeToEpochSeconds(With("time", "19700101T000010Z").Time), Is.EqualTo(10));

    [TestCase("True", 0)]
    [TestCase("False", 1)]
    [TestCase("ListAndIndexes", 2)]
    [TestCase("IndexesOnly", 3)]
    [TestCase("IndexOnly", 3)]
    [TestCase(null, 0)]
    public void The_test_strategy_is_read_by_name(string? value, int expected) =>
        Assert.That((int)With("full-remote-verification", value).FullRemoteVerification, Is.EqualTo(expected));

    [Test]
    public void Later_changes_of_the_dictionary_are_seen()
    {
        var raw = new Dictionary<string, string?>();
        var options = new Options(raw);
        raw["version"] = "3";
        Assert.That(options.Version, Is.EqualTo(new long[] { 3 }));
        Assert.That(options.RawOptions, Is.SameAs(raw));
    }
}
