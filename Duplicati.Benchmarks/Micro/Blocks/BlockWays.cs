namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>The ways a question about blocks is put.</summary>
internal static class BlockWays
{
    /// <summary>Prepared commands of Microsoft.Data.Sqlite.</summary>
    internal const string Provider = "provider";

    /// <summary>Commands of Microsoft.Data.Sqlite made for each call.</summary>
    internal const string Unprepared = "unprepared";

    /// <summary>The C API through function pointers.</summary>
    internal const string Native = "native";

    /// <summary>The C API, inserting whatever is not there before asking for the id.</summary>
    internal const string InsertFirst = "insert first";

    /// <summary>Member by member at the layer's door.</summary>
    internal const string Door = "door";

    /// <summary>The layer behind its door: without a task for each call.</summary>
    internal const string Inside = "inside";
}
