// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Support;

/// <summary>Gives an environment variable a value, and its old one back when disposed.</summary>
internal sealed class EnvironmentVariable : IDisposable
{
    private readonly string m_name;
    private readonly string? m_before;

    public EnvironmentVariable(string name, string? value)
    {
        m_name = name;
        m_before = Environment.GetEnvironmentVariable(name);
        Environment.SetEnvironmentVariable(name, value);
    }

    public void Dispose() => Environment.SetEnvironmentVariable(m_name, m_before);
}
