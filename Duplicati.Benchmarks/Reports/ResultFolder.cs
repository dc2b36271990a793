using System.Text.Json;
using System.Text.Json.Serialization;

namespace Duplicati.Benchmarks.Reports;

/// <summary>All results in a folder and the folders below.</summary>
/// <param name="Micro">Groups of micro benchmarks, by name.</param>
/// <param name="EndToEnd">End-to-end runs.</param>
/// <param name="Tables">Tables of other commands, by the names of their files.</param>
internal sealed record ResultFolder(IReadOnlyList<MicroResults> Micro, IReadOnlyList<EndToEndResults> EndToEnd, IReadOnlyList<TableResults> Tables)
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

    /// <summary>True if nothing was found.</summary>
    public bool IsEmpty => Micro.Count == 0 && EndToEnd.Count == 0 && Tables.Count == 0;

    /// <summary>The machines that the results come from.</summary>
    public IEnumerable<string> Machines => Micro.Select(group => group.Environment.Machine)
        .Concat(Tables.Select(table => table.Environment.Machine))
        .Concat(EndToEnd.Select(run => run.Environment.GetValueOrDefault("machine", "an unknown machine")))
        .Distinct();

    /// <summary>Reads the folder.</summary>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    /// <exception cref="InvalidDataException">A file is not what it should be; the message names it.</exception>
    public static ResultFolder Load(string folder) => new(
        [.. Read<MicroResults>(folder, MicroResults.FileName).OrderBy(results => results.Group, StringComparer.Ordinal).ThenBy(results => results.IsQuick)],
        [.. Read<EndToEndResults>(folder, EndToEndResults.FileName)],
        [.. Read<TableResults>(folder, "*" + TableResults.Suffix)]);

    /// <summary>Reads one file.</summary>
    /// <exception cref="InvalidDataException">It is not what it should be.</exception>
    public static T ReadFile<T>(string path)
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

    private static IEnumerable<T> Read<T>(string folder, string name)
        where T : IResultFile =>
        Directory.EnumerateFiles(folder, name, SearchOption.AllDirectories).Order(StringComparer.Ordinal).Select(ReadFile<T>);
}
