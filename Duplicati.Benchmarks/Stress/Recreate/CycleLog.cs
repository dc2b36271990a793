// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>Notes all that happens in a cycle, in a file that stays when the cycle fails. Thread-safe.</summary>
internal sealed class CycleLog : IEngineProgress, IDisposable
{
    private readonly Lock m_lock = new();
    private readonly StreamWriter m_file;

    /// <param name="path">The file.</param>
    public CycleLog(string path) => m_file = new StreamWriter(path, append: true) { AutoFlush = true };

    /// <inheritdoc/>
    public void Message(string text) => Write("  " + text);

    /// <inheritdoc/>
    public void Working(string text) { }

    /// <inheritdoc/>
    public void Warning(string text) => Write("  warning: " + text);

    /// <inheritdoc/>
    public void Advance(string phase, long done, long total) { }

    /// <summary>Notes a line.</summary>
    public void Write(string line)
    {
        lock (m_lock)
            m_file.WriteLine(line);
    }

    /// <inheritdoc/>
    public void Dispose() => m_file.Dispose();
}
