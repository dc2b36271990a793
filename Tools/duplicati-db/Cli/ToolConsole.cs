// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Tool.Diagnostics;

namespace Duplicati.Tool.Cli;

/// <summary>Where commands write, and how failures become exit codes.</summary>
/// <param name="output">Takes data.</param>
/// <param name="error">Takes messages and questions.</param>
/// <param name="terminal">Gives answers; null without one.</param>
/// <param name="opening">What a command tells before anything else; null for nothing.</param>
internal sealed class ToolConsole(TextWriter output, TextWriter error, TextReader? terminal = null, string? opening = null)
{
    /// <summary>Before the command that is advised.</summary>
    internal const string RUN = "Run: ";

    private readonly SafeWriter m_output = new(output);
    private readonly MessageWriter m_messages = new(error);
    private readonly SafeWriter m_error = new(new MessageWriter(error));

    /// <summary>Messages go here.</summary>
    internal TextWriter Error => m_error;

    /// <summary>Answers come from here; null without one.</summary>
    internal TextReader? Terminal => terminal;

    /// <summary>Runs a command: its progress goes to the error stream, its failures become a message and an exit code.</summary>
    internal async Task<int> RunAsync(
        ParseResult parsed,
        Func<IEngineProgress, CancellationToken, Task<int>> command,
        CancellationToken token
    )
    {
        TemporaryFolder.RemoveLeftovers();
        using var memory = LittleMemory.For(parsed.GetValue(CommonOptions.Preset));
        TextWriter? logFile;
        try
        {
            logFile = parsed.GetValue(CommonOptions.LogFile) is { } file ? RecordingFile.OpenLog(file) : null;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return Fail(
                parsed,
                null,
                ExitCode.Of("LogFileNotAccessible"),
                "LogFileNotAccessible",
                $"The log file cannot be written, and nothing was done: {ex.Message} Choose another file."
            );
        }

        using var progress = new ConsoleProgress(
            m_messages,
            new ProgressOutput(parsed.GetValue(CommonOptions.Quiet), parsed.GetValue(CommonOptions.Verbose), logFile, Width),
            TimeProvider.System
        );
        using var log = Log.StartScope(
            entry => progress.Warning(entry.FormattedMessage),
            entry => entry.Level is LogMessageType.Warning or LogMessageType.Error
        );
        if (opening is not null)
            progress.Message(opening);
        return await RecordAsync(parsed, progress, command, token);
    }

    private async Task<int> RecordAsync(
        ParseResult parsed,
        ConsoleProgress progress,
        Func<IEngineProgress, CancellationToken, Task<int>> command,
        CancellationToken token
    )
    {
        CommandRecording recording;
        try
        {
            recording = CommandRecording.Open(parsed, CommonOptions.Metrics, CommonOptions.Trace, progress.Warning);
        }
        catch (UserInformationException ex)
        {
            return Fail(parsed, progress, ExitCode.Of(ex.HelpID), ex.HelpID, ex.Message);
        }

        using (recording)
        {
            var code = await RunAsync(parsed, progress, command, token);
            if (await recording.FinishAsync(code, progress.Warning) is not { } problem)
                return code;

            // The command's own result has been told already.
            m_error.WriteLine($"{problem} The command itself ended with {code}.\nHelp id: RecordingFileNotComplete");
            return code is ExitCode.Ok or ExitCode.Found ? ExitCode.Failed : code;
        }
    }

    private async Task<int> RunAsync(
        ParseResult parsed,
        ConsoleProgress progress,
        Func<IEngineProgress, CancellationToken, Task<int>> command,
        CancellationToken token
    )
    {
        try
        {
            // On a thread of its own: whoever interrupts must not wait for what waits for a passphrase.
            var code = await Task.Run(() => command(progress, token), CancellationToken.None);
            progress.Clear();
            if (NextCommand.Of(parsed, progress.Advice) is { } next)
                m_messages.WriteLine(RUN + SafeText.Of(next));
            return code;
        }
        catch (Exception ex)
        {
            return Fail(parsed, progress, Failure.Of(ex));
        }
    }

    /// <summary>
    /// Runs work that does not watch for interruption. An interrupted one is left alone: the process is about to end, and what
    /// it writes is a transaction of SQLite, done or not at all.
    /// </summary>
    internal static Task<T> RunBlockingAsync<T>(Func<T> work, CancellationToken token) => Task.Run(work, token).WaitAsync(token);

    /// <summary>The output for data that is bytes already, flushed when it is closed.</summary>
    internal Stream OpenBinaryOutput() =>
        ReferenceEquals(output, Console.Out) ? new OutputStream(Console.OpenStandardOutput()) : new TextSink(output);

    /// <summary>A part of a result as JSON that is harmless on a terminal, on one line.</summary>
    internal static string ToJson<T>(T part) => SafeText.Json(ToolJson.LineOf(part));

    /// <summary>Writes a result: as JSON if asked for, else as text.</summary>
    internal void Write<T>(ParseResult parsed, T result, Action<TextWriter> asText)
    {
        var failure = MessageWriter.Try(() =>
        {
            if (parsed.GetValue(CommonOptions.Json))
                output.WriteLine(SafeText.Json(ToolJson.Of(result)));
            else
                asText(m_output);
        });
        if (failure is not null)
            throw Unwritten(failure);
    }

    /// <summary>The error of a result that the output does not take. What the command does has been done then.</summary>
    internal static UserInformationException Unwritten(Exception failure) =>
        new(
            $"The command has finished, but its result could not be written to the output: {failure.Message.TrimEnd('.')}.",
            "OutputNotWritten",
            failure
        );

    // 0 if nobody looks at a terminal.
    private int Width() => ReferenceEquals(error, Console.Error) && !Console.IsErrorRedirected ? Math.Max(20, Console.WindowWidth) : 0;

    // What is done for good must not be done again, and what the message advises comes before what is left to do.
    private int Fail(ParseResult parsed, ConsoleProgress progress, Failure failure)
    {
        var (message, step) = (failure.Message, progress.Step);
        if (step is not null)
            message += " " + step.Done;
        if (step?.Rest is { Length: > 0 } rest)
            message += " " + rest;
        // What is advised for one volume would be given the same passphrase, which most likely opens no other either.
        var next =
            failure.Code == ExitCode.WrongPassphrase ? null : NextCommand.Of(parsed, [message]) ?? NextCommand.Of(parsed, progress.Advice);
        if (failure.IsPassing && step?.Rest is null && next is null && (step is not null || IsWorthRepeating(failure)))
        {
            message += failure.HelpId == "DiskIsFull" ? " Then run the same command again." : " The same command can be run again.";
            next = NextCommand.Again(parsed, step?.Versions ?? []);
        }

        return Fail(parsed, progress, failure.Code, failure.HelpId, message, next);
    }

    // Where nothing was done yet: an interruption is what was wanted, and an address that leads nowhere is most likely mistyped.
    private static bool IsWorthRepeating(Failure failure) => failure.Code != ExitCode.Cancelled && failure.HelpId != "FolderMissing";

    private int Fail(ParseResult parsed, ConsoleProgress? progress, int code, string helpId, string message, string? next = null)
    {
        progress?.Clear();
        var run = next is null ? "" : $"{RUN}{SafeText.Of(next)}\n";
        // The lines of a trace are its own.
        m_error.WriteLine($"{(code == ExitCode.Internal ? message : SafeText.Line(message))}\n{run}Help id: {helpId}");
        if (parsed.GetValue(CommonOptions.Json))
            _ = MessageWriter.Try(() => output.WriteLine(SafeText.Json(ToolJson.Of(new FailureReport(message, helpId, next)))));
        return code;
    }
}
