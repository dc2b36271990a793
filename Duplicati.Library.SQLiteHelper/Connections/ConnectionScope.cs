// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// The options in force for the current call chain. The factories of the data layer take only a path, so a preset reaches the
/// connections that they open by this way.
/// </summary>
/// <remarks>Flows with the execution context: into tasks started inside the scope, never out to the caller of an async method.</remarks>
internal sealed class ConnectionScope : IDisposable
{
    private static readonly AsyncLocal<ConnectionScope?> Innermost = new();

    private readonly ConnectionOptions m_options;
    private readonly ConnectionScope? m_outer;
    private bool m_disposed;

    internal ConnectionScope(ConnectionOptions options)
    {
        m_options = options;
        m_outer = Innermost.Value;
        Innermost.Value = this;
    }

    /// <summary>The options of the innermost scope that is not disposed; null outside of any.</summary>
    internal static ConnectionOptions? Current => Open(Innermost.Value)?.m_options;

    /// <inheritdoc />
    public void Dispose()
    {
        m_disposed = true;
        Innermost.Value = Open(Innermost.Value);
    }

    // A call chain started inside the scope may outlive it, and scopes may be disposed out of order: a disposed one is never in force.
    private static ConnectionScope? Open(ConnectionScope? scope)
    {
        while (scope is { m_disposed: true })
            scope = scope.m_outer;
        return scope;
    }
}
