// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Support;

/// <summary>A new sample database for each test.</summary>
public abstract class SampleTestBase
{
    private protected SampleDatabase Data { get; private set; } = null!;

    [SetUp]
    public void MakeSample() => Data = new SampleDatabase();

    [TearDown]
    public void RemoveSample() => Data.Dispose();
}
