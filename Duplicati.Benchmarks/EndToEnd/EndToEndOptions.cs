namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>What an end-to-end run does.</summary>
internal sealed record EndToEndOptions
{
    /// <summary>A folder with the data to back up; null generates one.</summary>
    public string? Source { get; init; }

    /// <summary>Bytes to generate.</summary>
    public long TotalBytes { get; init; } = 100 * 1024 * 1024;

    /// <summary>Number of files to generate.</summary>
    public int Files { get; init; } = 300;

    /// <summary>Seed of the generated data.</summary>
    public long Seed { get; init; } = 1;

    /// <summary>Bytes in a block.</summary>
    public int BlockSize { get; init; } = 1024;

    /// <summary>Bytes in a block volume.</summary>
    public long VolumeSize { get; init; } = 1024 * 1024;

    /// <summary>Runs of every contender; medians are reported.</summary>
    public int Repeat { get; init; } = 3;

    /// <summary>Presets side by side; the first one is what the others are held against.</summary>
    public IReadOnlyList<string> Presets { get; init; } = ["stock", "default", "throughput"];

    /// <summary>Command of an installed Duplicati to time as well, or null.</summary>
    public string? Duplicati { get; init; }

    /// <summary>Passphrase, or null for no encryption.</summary>
    public string? Passphrase { get; init; }

    /// <summary>Folder for the reports.</summary>
    public string Output { get; init; } = "artifacts/e2e";
}
