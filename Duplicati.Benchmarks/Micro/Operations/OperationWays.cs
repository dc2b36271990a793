namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The ways that an operation is done.</summary>
internal static class OperationWays
{
    /// <summary>The statements that the definition of the operation describes, one for each of its steps, through the provider, on the same pragmas.</summary>
    public const string Plain = "plain SQL";

    /// <summary>Fewer or cleverer statements than the definition has, where there are such, with the same answer.</summary>
    public const string Lean = "lean SQL";

    /// <summary>Only the changes of rows, by their ids, which are found out before: what the engine itself takes, however well somebody asks.</summary>
    public const string Engine = "engine";

    /// <summary>The members that core calls.</summary>
    public const string Door = "door";
}
