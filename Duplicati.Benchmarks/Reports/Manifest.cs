using System.Text.Json;

namespace Duplicati.Benchmarks.Reports;

/// <summary>Ratios that later runs are held against, and where they come from. Never absolute times: those belong to a machine and an hour.</summary>
internal sealed record Manifest
{
    /// <summary>Where and with what the ratios were measured.</summary>
    public required string Machine { get; init; }

    /// <summary>Version of SQLite.</summary>
    public required string Sqlite { get; init; }

    /// <summary>The commit that was measured.</summary>
    public required string Commit { get; init; }

    /// <summary>Seed of the data.</summary>
    public required long Seed { get; init; }

    /// <summary>Below this part of a pinned ratio a line is a warning.</summary>
    public double WarnBelow { get; init; } = 0.9;

    /// <summary>Below this part of a pinned ratio a line fails, unless the run's own spread explains it.</summary>
    public double FailBelow { get; init; } = 0.75;

    /// <summary>The ratios.</summary>
    public required IReadOnlyList<PinnedRatio> Ratios { get; init; }

    /// <summary>A manifest of everything in a folder.</summary>
    /// <exception cref="InvalidDataException">The folder has no ratios, or the results of several machines, commits or SQLite versions.</exception>
    public static Manifest Of(ResultFolder results)
    {
        var sources = results.Micro.Select(group => (group.Environment.Machine, group.Environment.Sqlite, group.Environment.Commit, group.Environment.Seed))
            .Concat(results.EndToEnd.Select(run => (Machine: run.Environment.GetValueOrDefault("machine", "unknown"), Sqlite: run.Environment.GetValueOrDefault("SQLite", "unknown"), Commit: run.Environment.GetValueOrDefault("commit", "unknown"), run.Options.Seed)))
            .ToList();
        if (sources.Count == 0)
            throw new InvalidDataException("There is nothing to pin.");
        if (sources.Select(source => (source.Machine, source.Sqlite, source.Commit)).Distinct().Count() > 1)
            throw new InvalidDataException("The results come from several machines, commits or SQLite versions; a manifest is one of each.");

        var (machine, sqlite, commit, seed) = sources[0];
        var ratios = SpeedUps.Of(results).Select(ratio => new PinnedRatio(ratio.Name, ratio.Setting, Math.Round(ratio.Ratio, 3))).ToList();
        return ratios.Count > 0
            ? new Manifest { Machine = machine, Sqlite = sqlite, Commit = commit, Seed = seed, Ratios = ratios }
            : throw new InvalidDataException("The results have no baseline to compare with.");
    }

    /// <summary>Writes the manifest.</summary>
    public void Write(string path) => File.WriteAllText(path, JsonSerializer.Serialize(this, ResultFolder.Json) + "\n");
}

/// <summary>One ratio of a manifest; see <see cref="SpeedUp"/>.</summary>
internal sealed record PinnedRatio(string Name, string Setting, double Ratio);
