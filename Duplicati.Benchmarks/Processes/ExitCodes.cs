namespace Duplicati.Benchmarks.Processes;

/// <summary>What commands end with.</summary>
internal static class ExitCodes
{
    public const int Done = 0;

    /// <summary>Done, and something is slower than it was.</summary>
    public const int Warned = 1;

    /// <summary>Nothing could be done with what was given.</summary>
    public const int WrongCommandLine = 2;

    /// <summary>Something is far slower than it was, or a program that was timed failed.</summary>
    public const int Failed = 3;

    /// <summary>Interrupted by the user; what there was has been written.</summary>
    public const int Interrupted = 130;
}
