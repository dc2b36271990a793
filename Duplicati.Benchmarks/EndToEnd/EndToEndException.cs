namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Why an end-to-end run cannot begin or go on, as one is told it; no trace is needed.</summary>
internal sealed class EndToEndException : Exception
{
    public EndToEndException(string message)
        : base(message)
    {
    }

    public EndToEndException(string message, Exception inner)
        : base(message, inner)
    {
    }
}
