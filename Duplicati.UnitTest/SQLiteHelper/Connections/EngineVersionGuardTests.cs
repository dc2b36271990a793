// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
public class EngineVersionGuardTests : ConnectionTestBase
{
    private const string LogId = "SQLiteWalResetBug";

    [TestCase("3.50.4", 1)]
    [TestCase("3.51.2", 1)]
    [TestCase("3.51.3", 0)]
    [TestCase("3.53.3", 0)]
    public void An_affected_engine_is_named_once_however_many_connections_are_opened(string version, int lines)
    {
        var opener = new ConnectionOpener(FileSystemProbe.NetworkFileSystemOf, new EngineVersionGuard(new Version(version)));
        for (var i = 0; i < 3; i++)
            opener.Open(Folder.File("local.sqlite"), ConnectionOptions.Default).Dispose();

        Assert.That(Logged.Of(LogMessageType.Warning, LogId), Has.Count.EqualTo(lines));
        Assert.That(Logged.WarningsAndErrors, Has.Count.EqualTo(lines));
    }

    [Test]
    public void Without_a_write_ahead_log_there_is_nothing_to_name()
    {
        var opener = new ConnectionOpener(FileSystemProbe.NetworkFileSystemOf, new EngineVersionGuard(new Version(3, 50, 4)));
        opener.Open(Folder.File("local.sqlite"), TestOptions.Of("default", ("journal_mode", "DELETE"))).Dispose();

        Assert.That(Logged.Of(LogMessageType.Warning, LogId), Is.Empty);
    }

    [Test]
    public void The_engine_of_this_build_is_not_affected() => Assert.That(EngineVersionGuard.OfProcess.IsAffected, Is.False);
}
