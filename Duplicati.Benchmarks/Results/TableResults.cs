using System.Text.Json;
using System.Text.Json.Serialization;

namespace Duplicati.Benchmarks.Results;

/// <summary>
/// The table that a command prints, kept in a file whose name ends in <see cref="Suffix"/>, so that a report shows it and a comparison
/// holds its ratios. Any command may write one; a report has a section for each.
/// </summary>
internal sealed record TableResults : IResultFile
{
    /// <summary>End of the file's name.</summary>
    public const string Suffix = ".table.json";

    /// <summary>Heading of the section.</summary>
    public required string Title { get; init; }

    /// <summary>The arguments that repeat the run.</summary>
    public required string Command { get; init; }

    /// <summary>Where and with what.</summary>
    public required RunEnvironment Environment { get; init; }

    /// <summary>What is to be known to read the table, a paragraph of markdown; null if it says all itself.</summary>
    public string? Note { get; init; }

    /// <summary>Heads of the columns with text, which come first.</summary>
    public required IReadOnlyList<string> Texts { get; init; }

    /// <summary>Heads of the columns with figures.</summary>
    public required IReadOnlyList<string> Figures { get; init; }

    /// <summary>The cells of each row, texts and then figures.</summary>
    public required IReadOnlyList<IReadOnlyList<string>> Rows { get; init; }

    /// <summary>The ratios among the figures that a later run can be held against.</summary>
    public IReadOnlyList<SpeedUp> Ratios { get; init; } = [];

    /// <inheritdoc/>
    [JsonIgnore]
    public string? Fault
    {
        get
        {
            var columns = Texts.Count + Figures.Count;
            if (columns == 0 || Texts.Concat(Figures).Any(head => head is null))
                return "it has no columns, or one without a name";
            if (Rows.Any(row => row is null || row.Count != columns || row.Any(cell => cell is null)))
                return "a row has not a cell for each column";
            return Ratios.Any(ratio => ratio is null) ? "a ratio is empty" : null;
        }
    }

    /// <summary>The table as markdown, as a command prints it.</summary>
    public string Markdown()
    {
        IEnumerable<IReadOnlyList<string>> heads = [[.. Texts, .. Figures], [.. Texts.Select(_ => "---"), .. Figures.Select(_ => "---:")]];
        return string.Join('\n', heads.Concat(Rows).Select(row => $"| {string.Join(" | ", row)} |"));
    }

    /// <summary>Writes the file; folders that are missing are made.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="name">The file's name without <see cref="Suffix"/>.</param>
    public void Write(string folder, string name)
    {
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(folder, name + Suffix), JsonSerializer.Serialize(this, ResultFile.Json));
    }
}
