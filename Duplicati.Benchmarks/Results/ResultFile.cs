using System.Text.Json;
using System.Text.Json.Serialization;

namespace Duplicati.Benchmarks.Results;

/// <summary>What was read from a file that anybody may have written.</summary>
internal interface IResultFile
{
    /// <summary>What is wrong with it although it is well formed; null if nothing is.</summary>
    string? Fault { get; }
}

/// <summary>How result files and manifests are written and read.</summary>
internal static class ResultFile
{
    /// <summary>
    /// How result files and manifests are written, and read with names in any letter case, as an end-to-end run writes its own. A figure
    /// that a time of zero made infinite must not lose all the others.
    /// </summary>
    public static JsonSerializerOptions Json { get; } = new()
    {
        WriteIndented = true,
        PropertyNameCaseInsensitive = true,
        RespectNullableAnnotations = true,
        RespectRequiredConstructorParameters = true,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    };

    /// <summary>Reads one file.</summary>
    /// <exception cref="InvalidDataException">It is not what it should be.</exception>
    public static T Read<T>(string path)
        where T : IResultFile
    {
        try
        {
            var read = JsonSerializer.Deserialize<T>(File.ReadAllText(path), Json) ?? throw new InvalidDataException($"{path} is empty.");
            return read.Fault is { } fault ? throw new InvalidDataException($"{path} cannot be read: {fault}.") : read;
        }
        catch (JsonException ex)
        {
            throw new InvalidDataException($"{path} cannot be read: {ex.Message}", ex);
        }
    }
}
