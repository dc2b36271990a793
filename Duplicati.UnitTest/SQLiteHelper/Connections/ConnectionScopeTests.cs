// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
public class ConnectionScopeTests
{
    [Test]
    public void Without_a_scope_the_default_preset_is_used() => Assert.That(ConnectionOptions.Current.PresetName, Is.EqualTo("default"));

    [Test]
    public async Task A_scope_reaches_connections_opened_further_in_on_other_threads()
    {
        using var folder = new TempFolder();
        using var scope = ConnectionPreset.Use("small");
        await using var connection = await Task.Run(() => SQLiteLoader.LoadConnectionAsync(Path.Combine(folder, "local.sqlite")));

        Assert.That(connection.Pragma("cache_size"), Is.EqualTo("-4096"));
    }

    [Test]
    public void Scopes_nest()
    {
        using (ConnectionPreset.Use("small"))
        {
            using (ConnectionPreset.Use("rebuild"))
                Assert.That(ConnectionOptions.Current.PresetName, Is.EqualTo("rebuild"));
            Assert.That(ConnectionOptions.Current.PresetName, Is.EqualTo("small"));
        }

        Assert.That(ConnectionOptions.Current.PresetName, Is.EqualTo("default"));
    }

    [Test]
    public void Scopes_disposed_out_of_order_or_twice_end_all_the_same()
    {
        var outer = ConnectionPreset.Use("small");
        var inner = ConnectionPreset.Use("rebuild");
        outer.Dispose();
        Assert.That(ConnectionOptions.Current.PresetName, Is.EqualTo("rebuild"));

        inner.Dispose();
        inner.Dispose();
        Assert.That(ConnectionOptions.Current.PresetName, Is.EqualTo("default"));
    }

    [Test]
    public async Task A_scope_opened_in_an_async_method_does_not_leak_to_its_caller()
    {
        var opened = await OpenScopeAsync();
        Assert.That(ConnectionOptions.Current.PresetName, Is.EqualTo("default"));
        opened.Dispose();
    }

    [Test]
    public async Task A_flow_that_outlives_its_scope_does_not_keep_the_preset()
    {
        var ended = new TaskCompletionSource();
        Task<string> chain;
        using (ConnectionPreset.Use("rebuild"))
            chain = Task.Run(async () =>
            {
                await ended.Task;
                return ConnectionOptions.Current.PresetName;
            });

        ended.SetResult();
        Assert.That(await chain, Is.EqualTo("default"));
    }

    private static async Task<IDisposable> OpenScopeAsync()
    {
        await Task.Yield();
        return ConnectionPreset.Use("rebuild");
    }
}
