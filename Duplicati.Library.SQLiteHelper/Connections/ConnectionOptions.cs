// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>The options a connection is opened with: the pragmas of a preset, and how long it waits.</summary>
/// <remarks>Immutable; may be shared between threads.</remarks>
internal sealed class ConnectionOptions
{
    private ReadOnlyFile? m_reading;

    internal ConnectionOptions(string presetName, IEnumerable<Pragma> pragmas, bool refreshesStatistics)
    {
        PresetName = presetName;
        RefreshesStatistics = refreshesStatistics;
        Pragmas = pragmas.OrderBy(pragma => PragmaCatalogue.Position(pragma.Name)).ToArray();
    }

    /// <summary>The options of the preset <c>default</c>.</summary>
    public static ConnectionOptions Default { get; } = ConnectionPreset.Default.ToOptions();

    /// <summary>
    /// The options for connections opened by the current call chain: those of the innermost scope, else <see cref="Default"/>.
    /// </summary>
    public static ConnectionOptions Current => ConnectionScope.Current ?? Default;

    /// <summary>Name of the preset the options started from.</summary>
    public string PresetName { get; }

    /// <summary>Whether the preset is <c>small</c>, so that buffers and maps outside of SQLite are to be small, too.</summary>
    public bool IsSmall => PresetName == ConnectionPreset.Small.Name;

    /// <summary>Whether planner statistics are refreshed when a database is opened to work on it.</summary>
    public bool RefreshesStatistics { get; }

    /// <summary>
    /// Seconds that locks of other connections are waited for, unless the busy timeout is longer; 0 is for ever. Null: as long as the
    /// provider waits, 30 s.
    /// </summary>
    public int? CommandTimeout { get; init; }

    /// <summary>The pragmas, in the order in which they are set.</summary>
    public IReadOnlyList<Pragma> Pragmas { get; }

    /// <summary>The value of a pragma, as written; null where SQLite's own value stays.</summary>
    public string? this[string name] =>
        Pragmas.FirstOrDefault(pragma => string.Equals(pragma.Name, name, StringComparison.OrdinalIgnoreCase))?.Value;

    /// <summary>
    /// Opens every connection of the current call chain with these options until the returned scope is disposed. Scopes nest.
    /// </summary>
    public IDisposable Use() => new ConnectionScope(this);

    /// <summary>The same for a file that is only read, in the way given.</summary>
    internal ConnectionOptions Reading(ReadOnlyFile file) => new(PresetName, Pragmas, RefreshesStatistics) { m_reading = file };

    /// <summary>How a file is only read; null if it is opened as usual.</summary>
    internal ReadOnlyFile? ReadingOf(string path) => m_reading is { } file && file.IsAt(path) ? file : null;
}

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
