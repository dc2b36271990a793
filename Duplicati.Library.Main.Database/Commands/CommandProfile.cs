// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Data;
using System.Diagnostics;
using Duplicati.Library.Logging;

namespace Duplicati.Library.Main.Database;

/// <summary>The profiling messages around one call on a command.</summary>
/// <remarks>
/// Writes what <see cref="Logging.Timer"/> writes, with the printable text handed on as an object: it is put together only if somebody
/// reads the message, which matters because every statement of an operation comes through here.
/// </remarks>
internal sealed class CommandProfile : IDisposable
{
    private static readonly string s_beginTag = "Timer.Begin-" + Log.LogTagFromType(typeof(ExtensionMethods));
    private static readonly string s_finishedTag = "Timer.Finished-" + Log.LogTagFromType(typeof(ExtensionMethods));

    private readonly string m_operation;
    private readonly string m_text;
    private readonly long m_begin;
    private IDbCommand? m_command;

    private CommandProfile(IDbCommand command, string operation)
    {
        m_command = command;
        m_operation = operation;
        m_text = command.CommandText;
        m_begin = Stopwatch.GetTimestamp();
    }

    /// <summary>Writes the first message.</summary>
    /// <param name="command">The command that is about to run.</param>
    /// <param name="operation">The name of the call, which is also the id of both messages.</param>
    /// <returns>Writes the second message, with the time taken, when disposed.</returns>
    internal static CommandProfile Start(IDbCommand command, string operation)
    {
        var profile = new CommandProfile(command, operation);
        Log.WriteProfilingMessage(s_beginTag, operation, "Starting - {0}", profile);
        return profile;
    }

    public void Dispose()
    {
        Log.WriteProfilingMessage(
            s_finishedTag,
            m_operation,
            "{0} took {1:d\\:hh\\:mm\\:ss\\.fff}",
            this,
            Stopwatch.GetElapsedTime(m_begin)
        );
        // A listener may keep the message and read it later, when the command has other values.
        m_command = null;
    }

    /// <inheritdoc/>
    public override string ToString() => $"{m_operation}: {m_command?.GetPrintableCommandText() ?? m_text}";
}
