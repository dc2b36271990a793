using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>Two contenders, the folder that they work in, and looks at what they leave there.</summary>
/// <param name="First">Who makes the backup.</param>
/// <param name="Second">Who uses it.</param>
/// <param name="Options">Sizes and passphrase.</param>
/// <param name="Folder">Where everything of this pair lies.</param>
/// <param name="Log">Gets the progress.</param>
internal sealed record CrossPair(CrossProgram First, CrossProgram Second, EndToEndOptions Options, string Folder, TextWriter Log)
{
    private const int MostLines = 5;

    /// <summary>How the volumes are.</summary>
    public string Volumes => Options.Passphrase is null ? "plain" : "AES";

    /// <summary>The files that are backed up.</summary>
    public string Tree => Path.Combine(Folder, "source");

    /// <summary>Changes a tenth of the files.</summary>
    public void ChangeTree(int version) => ChangedTree.ChangeTenth(Tree, Options.Seed + version);

    /// <summary>What is wrong with a database and the volumes that it describes.</summary>
    public async Task<IReadOnlyList<string>> CheckAsync(Step step, CancellationToken token)
    {
        var options = new EngineOptions { Remote = step.Remote, DatabasePath = step.Database, Passphrase = Options.Passphrase };
        var report = await new CheckOperation(options, [], SilentProgress.Instance).RunAsync(CheckDepth.Hashes, token).ConfigureAwait(false);
        return Shortened(report.Findings.Where(finding => finding.Severity == FindingSeverity.Problem).Select(finding => $"{finding.What} ({finding.Where})"), "problems");
    }

    /// <summary>In what two databases differ that describe the same backup.</summary>
    public static async Task<IReadOnlyList<string>> CompareAsync(string original, string recreated, CancellationToken token)
    {
        var differences = await DumpOperation.CompareAsync(original, recreated, DumpComparisonOptions.Logical, token).ConfigureAwait(false);
        return Shortened(differences.Select(difference => difference.ToString()), "differences");
    }

    /// <summary>Restores the newest version and compares it with the files as they are now.</summary>
    public async Task<IReadOnlyList<string>> RestoreAsync(CrossProgram program, Step step, string target, CancellationToken token)
    {
        var folder = Path.Combine(Folder, target);
        var (wrong, _) = await program.RunAsync(TimedOperation.Restore, step with { Folder = folder }, token).ConfigureAwait(false);
        return wrong.Count > 0 ? wrong : TreeComparer.Difference(Tree, folder) is { } difference ? [difference] : [];
    }

    private static IReadOnlyList<string> Shortened(IEnumerable<string> lines, string what)
    {
        var all = lines.ToList();
        return all.Count <= MostLines ? all : [$"{all.Count} {what}, of which the first are", .. all.Take(MostLines)];
    }
}
