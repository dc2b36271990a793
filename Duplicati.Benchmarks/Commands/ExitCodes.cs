namespace Duplicati.Benchmarks.Commands;

/// <summary>What the commands that read results end with.</summary>
internal static class ExitCodes
{
    public const int Done = 0;

    /// <summary>Done, and something is slower than it was.</summary>
    public const int Warned = 1;

    /// <summary>Nothing could be done with what was given.</summary>
    public const int WrongCommandLine = 2;

    /// <summary>Something is far slower than it was.</summary>
    public const int Failed = 3;
}
