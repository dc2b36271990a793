// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.SQLiteHelper.Indexes;

/// <summary>The page cache is larger while rows change all over a table, and of the size before afterwards.</summary>
[TestFixture]
public class PageCacheSizeTests
{
    private const long Bytes = 100L << 20;
    private const string Wide = "-102400";

    [TestCase("default", Wide)]
    [TestCase("durable", Wide)]
    [TestCase("throughput", "-262144")]
    [TestCase("small", "-4096")]
    [TestCase("stock", "-2000")]
    public async Task It_grows_with_the_presets_that_have_memory_to_spare(string preset, string during)
    {
        using var folder = new TestFolder();
        using var use = ConnectionPreset.Use(preset);
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(folder.File("a.sqlite"), "Delete", true, null, default);
        var before = database.Connection.Pragma("cache_size");
        using (var cache = PageCacheSize.AtLeast(database.Session.Statements, Bytes))
        {
            cache.Begin();
            Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(during));
        }

        Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(before));
    }

    [TestCase("-8192")]
    [TestCase("3000")]
    [TestCase("-2000000")]
    public async Task A_size_that_somebody_has_set_stays(string size)
    {
        using var folder = new TestFolder();
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(folder.File("a.sqlite"), "Delete", true, null, default);
        database.Connection.Execute($"PRAGMA cache_size = {size}");
        using (var cache = PageCacheSize.AtLeast(database.Session.Statements, Bytes))
        {
            cache.Begin();
            Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(size));
        }

        Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(size));
    }
}
