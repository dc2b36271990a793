using System.Text.Json;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Soak;

/// <summary>What the long runs have come to, in a file that is written after each round.</summary>
internal sealed class SoakState
{
    /// <summary>By the names of the rows.</summary>
    public SortedDictionary<string, SoakProgress> Rows { get; init; } = new(StringComparer.Ordinal);

    /// <summary>Of one row, which is empty when it was never run.</summary>
    public SoakProgress Of(SoakRow row)
    {
        if (!Rows.TryGetValue(row.Name, out var progress))
            Rows.Add(row.Name, progress = new SoakProgress());
        return progress;
    }

    /// <summary>Reads the file; empty if there is none.</summary>
    /// <exception cref="InvalidDataException">It is no such file.</exception>
    public static SoakState Read(string path)
    {
        if (!File.Exists(path))
            return new SoakState();
        try
        {
            return JsonSerializer.Deserialize<SoakState>(File.ReadAllText(path), ResultFile.Json) ?? throw new InvalidDataException($"{path} is empty; remove it to start over.");
        }
        catch (JsonException ex)
        {
            throw new InvalidDataException($"{path} cannot be read, remove it to start over: {ex.Message}", ex);
        }
    }

    /// <summary>Writes it, and the file is whole at every moment.</summary>
    public void Write(string path)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
        var made = path + ".new";
        File.WriteAllText(made, JsonSerializer.Serialize(this, ResultFile.Json) + "\n");
        File.Move(made, path, overwrite: true);
    }
}

/// <summary>What one long run has come to.</summary>
internal sealed class SoakProgress
{
    /// <summary>How many were done without a failure, in the row's unit.</summary>
    public long Done { get; set; }

    /// <summary>Time taken, seconds.</summary>
    public double Seconds { get; set; }

    /// <summary>The seeds of the rounds that were passed.</summary>
    public List<int> Seeds { get; init; } = [];

    /// <summary>The rounds that failed.</summary>
    public List<SoakFailure> Failures { get; init; } = [];
}

/// <summary>A round that failed.</summary>
/// <param name="Seed">Its seed.</param>
/// <param name="Text">What the test said.</param>
internal sealed record SoakFailure(int Seed, string Text);
