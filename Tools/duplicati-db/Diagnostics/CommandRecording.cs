// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.Diagnostics;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Metrics;

namespace Duplicati.Tool.Diagnostics;

/// <summary>
/// The files of <c>--metrics</c> and <c>--trace</c> of one command, and what is sent to a collector: opened before it, written however it
/// ends.
/// </summary>
internal sealed class CommandRecording : IDisposable
{
    /// <summary>The source of the activity that is the command itself.</summary>
    internal const string SourceName = "duplicati-db";

    private static readonly ActivitySource s_source = new(SourceName, DatabaseInstruments.VersionOf(typeof(CommandRecording).Assembly));

    private readonly Option<FileInfo> m_metricsOption;
    private readonly Option<FileInfo> m_traceOption;
    private MetricsFile? m_metrics;
    private TraceFile? m_trace;
    private OtlpExport? m_export;
    private Activity? m_activity;

    private CommandRecording(Option<FileInfo> metrics, Option<FileInfo> trace)
    {
        m_metricsOption = metrics;
        m_traceOption = trace;
    }

    /// <summary>Opens what the command line asks for.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="metrics">The option that names the file of figures.</param>
    /// <param name="trace">The option that names the file of times.</param>
    /// <param name="warn">Hears why nothing is sent to a collector.</param>
    /// <exception cref="UserInformationException">A file cannot be written, or is not one of these. Nothing was done.</exception>
    internal static CommandRecording Open(ParseResult parsed, Option<FileInfo> metrics, Option<FileInfo> trace, Action<string> warn)
    {
        var command = parsed.CommandResult.Command.Name;
        var result = new CommandRecording(metrics, trace);
        try
        {
            if (parsed.GetValue(metrics) is { } metricsFile)
                result.m_metrics = new MetricsFile(RecordingFile.Open(metricsFile, metrics.Name, MetricsFile.Beginning), command);
            if (parsed.GetValue(trace) is { } traceFile)
                result.m_trace = new TraceFile(RecordingFile.Open(traceFile, trace.Name, TraceFile.Beginning), command);
            result.m_export = OtlpExport.Start(warn);
            result.m_activity = s_source.StartActivity(command);
            return result;
        }
        catch
        {
            result.Dispose();
            throw;
        }
    }

    /// <summary>Writes the files, and sends what a collector has not got yet.</summary>
    /// <param name="exitCode">What the command ended with.</param>
    /// <param name="warn">Hears that the collector did not take all; no reason to fail.</param>
    /// <returns>What went wrong; null if both files are complete.</returns>
    internal async Task<string?> FinishAsync(int exitCode, Action<string> warn)
    {
        m_activity?.SetTag("exitCode", exitCode);
        m_activity?.Dispose();
        if (m_export is not null && await m_export.FinishAsync() is { } unsent)
            warn(unsent);
        return Try(m_traceOption, () => m_trace?.Finish()) ?? Try(m_metricsOption, () => m_metrics?.Finish(exitCode));
    }

    public void Dispose()
    {
        m_export?.Dispose();
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
