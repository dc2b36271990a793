// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Support;

/// <summary>A new folder for each test.</summary>
public abstract class FolderTestBase
{
    private protected TestFolder Folder { get; private set; } = null!;

    [SetUp]
    public void MakeTestFolder() => Folder = new TestFolder();

    [TearDown]
    public void RemoveTestFolder() => Folder.Dispose();
}
