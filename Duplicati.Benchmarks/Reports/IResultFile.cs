namespace Duplicati.Benchmarks.Reports;

/// <summary>What was read from a file that anybody may have written.</summary>
internal interface IResultFile
{
    /// <summary>What is wrong with it although it is well formed; null if nothing is.</summary>
    string? Fault { get; }
}
