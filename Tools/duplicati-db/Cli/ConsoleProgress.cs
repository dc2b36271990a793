using System.Diagnostics;
using Duplicati.Engine.Common;

namespace Duplicati.Tool.Cli;

/// <summary>Progress on the error stream: one line that is rewritten on a terminal, plain lines elsewhere. Thread-safe.</summary>
internal sealed class ConsoleProgress(TextWriter error, bool quiet) : IEngineProgress, IDisposable
{
    private const int LineLength = 78;

    private readonly Lock m_lock = new();
    private readonly bool m_isTerminal = !Console.IsErrorRedirected && ReferenceEquals(error, Console.Error);
    private long m_lastShown;
    private bool m_lineShown;

    public void Message(string text)
    {
        if (quiet)
            return;

        lock (m_lock)
        {
            Clear();
            error.WriteLine(text);
        }
    }

    public void Warning(string text)
    {
        lock (m_lock)
        {
            Clear();
            error.WriteLine($"Warning: {text}");
        }
    }

    public void Advance(string phase, long done, long total)
    {
        if (quiet || !m_isTerminal || Stopwatch.GetElapsedTime(Volatile.Read(ref m_lastShown)).TotalMilliseconds < 200)
            return;

        lock (m_lock)
        {
            m_lastShown = Stopwatch.GetTimestamp();
            m_lineShown = true;
            var text = total > 0 ? $"{phase}: {done} of {total}" : $"{phase}: {done}";
            error.Write('\r' + text.PadRight(LineLength)[..LineLength]);
        }
    }

    /// <summary>Removes the progress line, so that other text can follow.</summary>
    internal void Clear()
    {
        if (!m_lineShown)
            return;

        m_lineShown = false;
        error.Write('\r' + new string(' ', LineLength) + '\r');
    }

    public void Dispose() => Clear();
}
