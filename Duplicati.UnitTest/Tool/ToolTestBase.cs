// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Tool;

/// <summary>A new case for each test.</summary>
internal abstract class ToolTestBase
{
    private protected ToolCase Tool { get; private set; } = null!;

    [SetUp]
    public void MakeCase() => Tool = Begin();

    [TearDown]
    public void RemoveCase() => Tool.Dispose();

    /// <summary>The case that a test begins with.</summary>
    protected virtual ToolCase Begin() => new();
}

/// <summary>A copy, for each test, of a backup that is made once; they share its source.</summary>
internal abstract class CopiedToolTestBase : ToolTestBase
{
    private ToolCase m_made = null!;

    [OneTimeSetUp]
    public Task MakeBackup() => MakeAsync(m_made = new ToolCase());

    [OneTimeTearDown]
    public void RemoveBackup() => m_made.Dispose();

    protected override ToolCase Begin() => new(m_made);

    /// <summary>Backs up.</summary>
    protected abstract Task MakeAsync(ToolCase made);
}
