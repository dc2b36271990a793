using System.Text.Json.Serialization;

namespace Duplicati.Benchmarks.Results;

/// <summary>The results of one group of micro benchmarks, as they stand in <see cref="FileName"/>.</summary>
internal sealed record MicroResults : IResultFile
{
    /// <summary>Name of the file in the folder of a group.</summary>
    public const string FileName = "micro.json";

    /// <summary>The group.</summary>
    public required string Group { get; init; }

    /// <summary>The arguments that repeat the run.</summary>
    public required string Command { get; init; }

    /// <summary>Small data and few repetitions.</summary>
    public required bool IsQuick { get; init; }

    /// <summary>Where and with what.</summary>
    public required RunEnvironment Environment { get; init; }

    /// <summary>All cases in their order.</summary>
    public required IReadOnlyList<MicroCase> Cases { get; init; }

    /// <inheritdoc/>
    [JsonIgnore]
    public string? Fault =>
        Group.Length == 0 ? "it names no group"
        : Cases.Any(candidate => candidate is null || candidate.Parameters.Values.Any(value => value is null)) ? "a case is empty, or has a parameter without a value"
        : null;
}

/// <summary>One benchmark with one set of parameters. Times are nanoseconds for one operation.</summary>
internal sealed record MicroCase
{
    /// <summary>The benchmark class: the question.</summary>
    public required string Class { get; init; }

    /// <summary>The parameters by name, in their order.</summary>
    public required IReadOnlyDictionary<string, string> Parameters { get; init; }

    /// <summary>The parameter that tells the contenders apart; null if there is nothing to compare with.</summary>
    public string? BaselineParameter { get; init; }

    /// <summary>The value of that parameter which the others are held against.</summary>
    public string? BaselineValue { get; init; }

    /// <summary>Median of the repetitions.</summary>
    public required double MedianNanoseconds { get; init; }

    /// <summary>A quarter of the repetitions took less.</summary>
    public required double LowerNanoseconds { get; init; }

    /// <summary>A quarter of the repetitions took more.</summary>
    public required double UpperNanoseconds { get; init; }

    /// <summary>Processor time of each repetition, of the whole process; empty in results from before it was noted.</summary>
    public IReadOnlyList<double> ProcessorNanoseconds { get; init; } = [];

    /// <summary>Number of repetitions.</summary>
    public required int Repetitions { get; init; }

    /// <summary>Rows that one operation handles.</summary>
    public required long Rows { get; init; }

    /// <summary>Bytes one operation wrote to files; null if unknown.</summary>
    public long? WrittenBytes { get; init; }

    /// <summary>Size of the database at the end; null if not of interest.</summary>
    public long? FileBytes { get; init; }

    /// <summary>Managed memory one operation allocated; null if unknown.</summary>
    public long? AllocatedBytes { get; init; }

    /// <summary>Checksum of the answer, the same for all that are compared with each other; null if the question has none.</summary>
    public uint? Answer { get; init; }

    /// <summary>Rows a second, from the median.</summary>
    [JsonIgnore]
    public double RowsPerSecond => Rows * 1e9 / MedianNanoseconds;

    /// <summary>True if the others are held against this case.</summary>
    [JsonIgnore]
    public bool IsBaseline => BaselineParameter is not null && Parameters.GetValueOrDefault(BaselineParameter) == BaselineValue;

    /// <summary>The value of a parameter, or an empty text.</summary>
    public string Value(string parameter) => Parameters.GetValueOrDefault(parameter, "");

    /// <summary>True if this case is the other one with the baseline's value.</summary>
    public bool IsBaselineOf(MicroCase other) =>
        IsBaseline && Class == other.Class && other.Parameters.All(parameter => parameter.Key == BaselineParameter || Value(parameter.Key) == parameter.Value);
}
