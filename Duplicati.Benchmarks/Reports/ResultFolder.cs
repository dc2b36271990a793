using System.Text.Json;

namespace Duplicati.Benchmarks.Reports;

/// <summary>All results in a folder and the folders below.</summary>
/// <param name="Micro">Groups of micro benchmarks, by name.</param>
/// <param name="EndToEnd">End-to-end runs.</param>
internal sealed record ResultFolder(IReadOnlyList<MicroResults> Micro, IReadOnlyList<EndToEndResults> EndToEnd)
{
    /// <summary>How result files and manifests are written, and read with names in any letter case, as an end-to-end run writes its own.</summary>
    public static JsonSerializerOptions Json { get; } = new() { WriteIndented = true, PropertyNameCaseInsensitive = true };

    /// <summary>True if nothing was found.</summary>
    public bool IsEmpty => Micro.Count == 0 && EndToEnd.Count == 0;

    /// <summary>Reads the folder.</summary>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    /// <exception cref="InvalidDataException">A file is not what it should be; the message names it.</exception>
    public static ResultFolder Load(string folder) => new(
        [.. Read<MicroResults>(folder, MicroResults.FileName).OrderBy(results => results.Group, StringComparer.Ordinal).ThenBy(results => results.IsQuick)],
        [.. Read<EndToEndResults>(folder, EndToEndResults.FileName)]);

    /// <summary>Reads one file.</summary>
    /// <exception cref="InvalidDataException">It is not what it should be.</exception>
    public static T ReadFile<T>(string path)
    {
        try
        {
            return JsonSerializer.Deserialize<T>(File.ReadAllText(path), Json) ?? throw new InvalidDataException($"{path} is empty.");
        }
        catch (JsonException ex)
        {
            throw new InvalidDataException($"{path} cannot be read: {ex.Message}", ex);
        }
    }

    private static IEnumerable<T> Read<T>(string folder, string name) =>
        Directory.EnumerateFiles(folder, name, SearchOption.AllDirectories).Order(StringComparer.Ordinal).Select(ReadFile<T>);
}
