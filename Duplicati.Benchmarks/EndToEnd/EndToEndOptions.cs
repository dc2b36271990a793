using System.Text.Json.Serialization;

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

    /// <summary>Versions that are made; between two of them a tenth of the files is changed.</summary>
    public int Versions { get; init; } = 2;

    /// <summary>Rounds of every contender; medians are reported.</summary>
    public int Repeat { get; init; } = 3;

    /// <summary>Installed programs to time; the first one is what all others are held against.</summary>
    public IReadOnlyList<Peer> Peers { get; init; } = [];

    /// <summary>Presets of the engine side by side; without peers the first one is what the others are held against.</summary>
    public IReadOnlyList<string> Presets { get; init; } = ["stock", "default", "throughput"];

    /// <summary>Keys of the operations that are timed.</summary>
    public IReadOnlyList<string> Operations { get; init; } = [.. TimedOperation.All.Select(operation => operation.Key)];

    /// <summary>Whether volumes are encrypted.</summary>
    public bool IsEncrypted { get; init; }

    /// <summary>Passphrase, or null for no encryption. It stands in no file.</summary>
    [JsonIgnore]
    public string? Passphrase { get; init; }

    /// <summary>Folder for the reports.</summary>
    [JsonIgnore]
    public string Output { get; init; } = "artifacts/e2e";

    /// <summary>Folder to work in; null takes one among the temporary files.</summary>
    [JsonIgnore]
    public string? Work { get; init; }

    /// <summary>Whether the work folder stays when all went well.</summary>
    [JsonIgnore]
    public bool Keep { get; init; }

    /// <summary>Whether rounds that the output folder has are kept.</summary>
    [JsonIgnore]
    public bool Resume { get; init; }

    /// <summary>The operations that are timed, in their order.</summary>
    [JsonIgnore]
    public IEnumerable<TimedOperation> Timed => TimedOperation.All.Where(operation => Operations.Contains(operation.Key));

    /// <summary>The data, and what is made of them, in words. Two runs can be compared if these are equal.</summary>
    [JsonIgnore]
    public string Data
    {
        get
        {
            var source = Source is null
                ? string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{TotalBytes} bytes in {Files} files, 30 % zeros, seed {Seed}")
                : Path.GetFileName(Source);
            var versions = Versions == 2 ? "" : FormattableString.Invariant($", {Versions} versions");
            return FormattableString.Invariant($"{source}; blocks {BlockSize}, volumes {VolumeSize} bytes{versions}{(IsEncrypted ? ", encrypted" : "")}");
        }
    }
}
