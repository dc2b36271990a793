// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Library.Interface;

namespace Duplicati.Tool.Diagnostics;

/// <summary>The files of <c>--metrics</c> and <c>--trace</c> of one command: opened before it, written however it ends.</summary>
internal sealed class CommandRecording : IDisposable
{
    private readonly Option<FileInfo> m_metricsOption;
    private readonly Option<FileInfo> m_traceOption;
    private MetricsFile? m_metrics;
    private TraceFile? m_trace;

    private CommandRecording(Option<FileInfo> metrics, Option<FileInfo> trace)
    {
        m_metricsOption = metrics;
        m_traceOption = trace;
    }

    /// <summary>Opens what the command line asks for.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="metrics">The option that names the file of figures.</param>
    /// <param name="trace">The option that names the file of times.</param>
    /// <exception cref="UserInformationException">A file cannot be written, or is not one of these. Nothing was done.</exception>
    internal static CommandRecording Open(ParseResult parsed, Option<FileInfo> metrics, Option<FileInfo> trace)
    {
        var command = parsed.CommandResult.Command.Name;
        var result = new CommandRecording(metrics, trace);
        try
        {
            if (parsed.GetValue(metrics) is { } metricsFile)
                result.m_metrics = new MetricsFile(RecordingFile.Open(metricsFile, metrics.Name, MetricsFile.Beginning), command);
            if (parsed.GetValue(trace) is { } traceFile)
                result.m_trace = new TraceFile(RecordingFile.Open(traceFile, trace.Name, TraceFile.Beginning), command);
            return result;
        }
        catch
        {
            result.Dispose();
            throw;
        }
    }

    /// <summary>Writes the files.</summary>
    /// <param name="exitCode">What the command ended with.</param>
    /// <returns>What went wrong; null if both are complete.</returns>
    internal string? Finish(int exitCode) =>
        Try(m_traceOption, () => m_trace?.Finish(exitCode)) ?? Try(m_metricsOption, () => m_metrics?.Finish(exitCode));

    public void Dispose()
    {
        m_trace?.Dispose();
        m_metrics?.Dispose();
    }

    private static string? Try(Option option, Action write)
    {
        try
        {
            write();
            return null;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return $"The file of {option.Name} is not complete: {ex.Message}";
        }
    }
}
