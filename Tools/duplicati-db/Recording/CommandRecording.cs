using System.CommandLine;
using Duplicati.Library.Interface;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Recording;

/// <summary>The files of <c>--metrics</c> and <c>--trace</c> of one command: opened before it, written however it ends.</summary>
internal sealed class CommandRecording : IDisposable
{
    private readonly MetricsFile? m_metrics;
    private readonly TraceFile? m_trace;

    private CommandRecording(MetricsFile? metrics, TraceFile? trace)
    {
        m_metrics = metrics;
        m_trace = trace;
    }

    /// <summary>Opens what the command line asks for.</summary>
    /// <exception cref="UserInformationException">A file cannot be written, or is not one of these. Nothing was done.</exception>
    internal static CommandRecording Open(ParseResult parsed)
    {
        var command = parsed.CommandResult.Command.Name;
        var (metrics, trace) = (parsed.GetValue(CommonOptions.Metrics), parsed.GetValue(CommonOptions.Trace));
        var metricsFile = metrics is null ? null : new MetricsFile(RecordingFile.Open(metrics, CommonOptions.Metrics.Name, MetricsFile.Beginning), command);
        try
        {
            return new CommandRecording(metricsFile, trace is null ? null : new TraceFile(RecordingFile.Open(trace, CommonOptions.Trace.Name, TraceFile.Beginning), command));
        }
        catch
        {
            metricsFile?.Dispose();
            throw;
        }
    }

    /// <summary>Writes the files.</summary>
    /// <param name="exitCode">What the command ended with.</param>
    /// <returns>What went wrong; null if both are complete.</returns>
    internal string? Finish(int exitCode) => Try(CommonOptions.Trace, () => m_trace?.Finish(exitCode)) ?? Try(CommonOptions.Metrics, () => m_metrics?.Finish(exitCode));

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
