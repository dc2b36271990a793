// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Microsoft.Extensions.Logging;

namespace Duplicati.Engine.Diagnostics;

/// <summary>
/// Writes an operation's progress to a program's own logging: messages as information, the file at hand as debug, how far it is as trace.
/// Thread-safe, as the logger is.
/// </summary>
public sealed class LoggerProgress(ILogger logger) : IEngineProgress
{
    /// <inheritdoc/>
    public void Message(string text) => Write(LogLevel.Information, text);

    /// <inheritdoc/>
    public void Working(string text) => Write(LogLevel.Debug, text);

    /// <inheritdoc/>
    public void Warning(string text) => Write(LogLevel.Warning, text);

    /// <inheritdoc/>
    public void Advance(string phase, long done, long total)
    {
        if (logger.IsEnabled(LogLevel.Trace))
            Write(LogLevel.Trace, $"{phase}: {done} of {total}");
    }

    private void Write(LogLevel level, string text) => logger.Log(level, default, text, null, static (state, _) => state);
}
