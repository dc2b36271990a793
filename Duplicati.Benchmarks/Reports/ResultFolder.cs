using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Reports;

/// <summary>All results in a folder and the folders below.</summary>
/// <param name="Micro">Groups of micro benchmarks, by name.</param>
/// <param name="EndToEnd">End-to-end runs.</param>
/// <param name="Tables">Tables of other commands, by the names of their files.</param>
internal sealed record ResultFolder(IReadOnlyList<MicroResults> Micro, IReadOnlyList<EndToEndResults> EndToEnd, IReadOnlyList<TableResults> Tables)
{
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

    /// <summary>The results of a folder, or null after a message.</summary>
    public static ResultFolder? TryLoad(string folder, TextWriter errors)
    {
        try
        {
            var results = Load(folder);
            if (!results.IsEmpty)
                return results;
            errors.WriteLine($"{folder} has no {MicroResults.FileName}, {EndToEndResults.FileName} or *{TableResults.Suffix}.");
        }
        catch (Exception ex) when (ex is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            errors.WriteLine(ex.Message);
        }

        return null;
    }

    private static IEnumerable<T> Read<T>(string folder, string name)
        where T : IResultFile =>
        Directory.EnumerateFiles(folder, name, SearchOption.AllDirectories).Order(StringComparer.Ordinal).Select(ResultFile.Read<T>);
}
