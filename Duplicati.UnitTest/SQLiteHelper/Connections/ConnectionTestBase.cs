// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

/// <summary>A new folder for each test, and what is logged in the test.</summary>
public abstract class ConnectionTestBase : FolderTestBase
{
    private protected LogCapture Logged { get; private set; } = null!;

    [SetUp]
    public void BeginToListen() => Logged = new LogCapture();

    [TearDown]
    public void EndListening() => Logged.Dispose();
}
