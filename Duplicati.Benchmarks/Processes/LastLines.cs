namespace Duplicati.Benchmarks.Processes;

/// <summary>The last lines of what a program writes. Safe for its two streams at once.</summary>
internal sealed class LastLines
{
    private const int Most = 20;

    private readonly Queue<string> m_lines = new();
    private readonly Lock m_lock = new();

    /// <summary>The lines so far.</summary>
    public IReadOnlyList<string> All
    {
        get
        {
            lock (m_lock)
                return [.. m_lines];
        }
    }

    /// <summary>Reads a stream to its end.</summary>
    public async Task ReadAsync(StreamReader stream, CancellationToken token)
    {
        while (await stream.ReadLineAsync(token).ConfigureAwait(false) is { } line)
        {
            lock (m_lock)
            {
                if (m_lines.Count == Most)
                    m_lines.Dequeue();
                m_lines.Enqueue(line);
            }
        }
    }
}
