using System.Globalization;
using System.Text;

namespace Duplicati.Benchmarks.Reports;

/// <summary>A markdown document of results, with figures in a folder of the document's name beside it.</summary>
internal sealed class ReportDocument
{
    /// <summary>How this program is started from the repository.</summary>
    internal const string Program = "dotnet run -c Release --project Duplicati.Benchmarks --";

    private readonly string m_path;
    private readonly string m_figures;
    private readonly StringBuilder m_text = new();
    private readonly List<(string Name, string Content)> m_svgs = [];

    /// <param name="path">The document.</param>
    private ReportDocument(string path)
    {
        m_path = Path.GetFullPath(path);
        m_figures = Path.GetFileNameWithoutExtension(m_path);
    }

    /// <summary>Writes the document and its figures; replaces what is there.</summary>
    /// <param name="results">What to show.</param>
    /// <param name="path">The document.</param>
    /// <param name="note">A paragraph about the machine or the run, or null.</param>
    public static void Write(ResultFolder results, string path, string? note)
    {
        var document = new ReportDocument(path);
        document.Line("# Benchmarks");
        document.Line("");
        document.Line("Measured on one machine at one time: compare the ratios, not the rates. The command above each table repeats it.");
        if (!string.IsNullOrWhiteSpace(note))
            document.Line($"\n{note}");
        if (results.Micro.Any(group => group.IsQuick))
            document.Line("\n`--quick` means small tables, which fit into the page cache, and few repetitions: it shows orders of magnitude, not percent.");
        foreach (var run in results.EndToEnd)
            EndToEndSection.Append(document, run);
        foreach (var group in results.Micro)
            MicroSection.Append(document, group);
        document.Save();
    }

    /// <summary>Adds a line.</summary>
    public void Line(string line) => m_text.Append(line).Append('\n');

    /// <summary>Adds a line of a table.</summary>
    public void Row(params IEnumerable<string> cells) => Line($"| {string.Join(" | ", cells.Select(cell => cell.Replace("|", "\\|", StringComparison.Ordinal)))} |");

    /// <summary>Adds the head of a table.</summary>
    /// <param name="left">Columns of text.</param>
    /// <param name="right">Columns of figures.</param>
    public void Head(IEnumerable<string> left, IEnumerable<string> right)
    {
        var texts = left.ToList();
        var figures = right.ToList();
        Row(texts.Concat(figures));
        Row(texts.Select(_ => "---").Concat(figures.Select(_ => "---:")));
    }

    /// <summary>Adds a command.</summary>
    public void Command(string arguments) => Line($"\n```\n{Program} {arguments}\n```\n");

    /// <summary>Adds a figure.</summary>
    /// <param name="name">File name without extension; anything but letters and digits becomes a dash.</param>
    /// <param name="title">What it shows.</param>
    /// <param name="svg">The figure.</param>
    public void Figure(string name, string title, string svg)
    {
        var file = string.Concat(name.ToLowerInvariant().Select(c => char.IsAsciiLetterOrDigit(c) ? c : '-')) + ".svg";
        m_svgs.Add((file, svg));
        Line($"\n![{title}]({m_figures}/{file})");
    }

    /// <summary>A figure with two decimals.</summary>
    public static string Two(double value) => value.ToString("0.00", CultureInfo.InvariantCulture);

    /// <summary>A whole number, grouped.</summary>
    public static string Whole(double value) => value.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>Bytes as MiB; a dash if unknown.</summary>
    public static string MiB(long? bytes) => bytes is >= 0 ? (bytes.Value / 1048576.0).ToString("0.0", CultureInfo.InvariantCulture) : "–";

    private void Save()
    {
        var folder = Path.Combine(Path.GetDirectoryName(m_path)!, m_figures);
        Directory.CreateDirectory(m_svgs.Count > 0 ? folder : Path.GetDirectoryName(m_path)!);
        foreach (var (name, content) in m_svgs)
            File.WriteAllText(Path.Combine(folder, name), content);
        File.WriteAllText(m_path, m_text.ToString());
    }
}
