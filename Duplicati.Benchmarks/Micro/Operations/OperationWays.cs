namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The two ways that an operation is done.</summary>
internal static class OperationWays
{
    /// <summary>Statements as the definition of the operation reads, through the provider, on the same pragmas.</summary>
    public const string Plain = "plain SQL";

    /// <summary>The members that core calls.</summary>
    public const string Door = "door";
}
