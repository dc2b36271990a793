using System.Text.Json.Serialization;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>A program with the command line of Duplicati.</summary>
/// <param name="Name">How reports name it.</param>
/// <param name="Command">The program and what comes before its command.</param>
/// <param name="Options">Options that it gets beside those that all get.</param>
internal sealed record Peer(string Name, IReadOnlyList<string> Command, IReadOnlyList<PeerOptions> Options)
{
    /// <summary>Variables of the process, beside those that all get.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>();

    /// <summary>A program that runs it, with its arguments, for each operation; null if it runs by itself.</summary>
    [JsonIgnore]
    public Func<TimedOperation, IReadOnlyList<string>>? Before { get; init; }

    /// <summary>All that are timed: the peers, then the engine with each preset.</summary>
    public static IReadOnlyList<Peer> Contenders(EndToEndOptions options) =>
        [.. options.Peers, .. options.Presets.Select(preset => Engine(preset, options.Peers.Count > 0))];

    /// <summary>What comes after the command of an operation.</summary>
    public IEnumerable<string> OptionsOf(TimedOperation operation) =>
        Options.Where(entry => entry.Operation is null || entry.Operation == operation.Key).SelectMany(entry => entry.Words);

    /// <summary>The engine of this repository behind the same command line.</summary>
    private static Peer Engine(string preset, bool besidePeers)
    {
        var start = ThisProgram.Start(StandIn.Name);
        var name = besidePeers ? preset == "default" ? "engine" : $"engine {preset}" : preset;
        return new Peer(name, [start.FileName, .. start.ArgumentList], [new PeerOptions(null, [$"--{StandIn.PresetOption}={preset}"])])
        {
            // As duplicati-db runs.
            Environment = new Dictionary<string, string> { ["DOTNET_TieredPGO"] = "0" },
        };
    }
}

/// <summary>Options for a peer.</summary>
/// <param name="Operation">Key of the only operation that gets them; null for all.</param>
/// <param name="Words">The options.</param>
internal sealed record PeerOptions(string? Operation, IReadOnlyList<string> Words);
