using System.Globalization;
using System.Text.RegularExpressions;
using Duplicati.Engine.Configuration;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Golden;

/// <summary>A command that the real program was run with on a golden set, and how it ended.</summary>
internal sealed partial class GoldenCommand
{
    private readonly string m_text;

    private GoldenCommand(string text) => m_text = text;

    /// <summary>The exit code the real program ended with.</summary>
    public int ExitCode => int.Parse(Value("# exit code "), CultureInfo.InvariantCulture);

    /// <summary>Reads <c>expected/NAME.cmd</c>; null where the set has no such command.</summary>
    public static GoldenCommand? Find(string set, string name)
    {
        var file = Path.Combine("expected", name + ".cmd");
        return GoldenData.Exists(set, file) ? new GoldenCommand(GoldenData.ReadText(set, file)) : null;
    }

    /// <summary>The help id in the program's output, or null.</summary>
    public static string? HelpId(string set, string name) =>
        ErrorId().Match(GoldenData.ReadText(set, Path.Combine("expected", name + ".txt"))) is { Success: true } match ? match.Groups[1].Value : null;

    /// <summary>What was given to the operation besides the remote folder, without options.</summary>
    public string[] Arguments => [.. Words.SkipWhile(x => !x.StartsWith("file://", StringComparison.Ordinal)).Skip(1).Where(x => !x.StartsWith("--", StringComparison.Ordinal))];

    /// <summary>The values of an option, such as "--include".</summary>
    public string[] Option(string name) => [.. Words.Where(x => x.StartsWith(name + "=", StringComparison.Ordinal)).Select(x => x[(name.Length + 1)..])];

    /// <summary>The engine's options for the same command.</summary>
    public EngineOptions ToOptions(string remote, string database) => new()
    {
        Remote = remote,
        DatabasePath = database,
        Passphrase = m_text.Contains("--passphrase=", StringComparison.Ordinal) ? GoldenData.Passphrase : null,
        VolumeSize = Sizer.ParseSize(Value("--dblock-size="), "b"),
        StoreMetadataContent = IsOn("--store-metadata-content-in-database"),
        NoAutoCompact = IsOn("--no-auto-compact"),
        DisableSyntheticFilelist = IsOn("--disable-synthetic-filelist"),
        CompactThreshold = Number("--threshold=", 25),
        SmallFileMaxCount = Number("--small-file-max-count=", 20),
    };

    private bool IsOn(string name) => m_text.Contains(name + "=true", StringComparison.Ordinal);

    private long Number(string name, long otherwise) =>
        m_text.Contains(name, StringComparison.Ordinal) ? long.Parse(Value(name), CultureInfo.InvariantCulture) : otherwise;

    private IEnumerable<string> Words => Word().Matches(m_text.Split('\n')[0]).Select(x => string.Concat(Part().Matches(x.Value).Select(part => part.Value[0] is '\'' or '"' ? part.Value[1..^1] : part.Value)));

    private string Value(string name)
    {
        var start = m_text.IndexOf(name, StringComparison.Ordinal) + name.Length;
        return m_text[start..].Split(' ', '\n')[0];
    }

    [GeneratedRegex(@"('[^']*'|""[^""]*""|[^\s'""]+)+")]
    private static partial Regex Word();

    [GeneratedRegex(@"'[^']*'|""[^""]*""|[^\s'""]+")]
    private static partial Regex Part();

    [GeneratedRegex(@"^ErrorID: (\w+)", RegexOptions.Multiline)]
    private static partial Regex ErrorId();
}
