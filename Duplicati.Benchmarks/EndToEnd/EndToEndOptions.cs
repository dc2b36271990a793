// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Serialization;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;
using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>What an end-to-end run does.</summary>
internal sealed record EndToEndOptions
{
    private static readonly string[] s_units = ["bytes", "KB", "MB", "GB", "TB"];

    private const string Usual = "default";

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
    public IReadOnlyList<string> Presets { get; init; } = [Usual];

    /// <summary>Keys of the operations that are timed.</summary>
    public IReadOnlyList<string> Operations { get; init; } = [.. TimedOperation.All.Select(operation => operation.Key)];

    /// <summary>Whether volumes are encrypted.</summary>
    public bool IsEncrypted { get; init; }

    /// <summary>What volumes are encrypted with, which nobody keeps; null if they are not.</summary>
    [JsonIgnore]
    public string? Passphrase => IsEncrypted ? "end to end" : null;

    /// <summary>Folder for the reports.</summary>
    [JsonIgnore]
    public string Output { get; init; } = "artifacts/e2e";

    /// <summary>Folder to work in; null takes one among the temporary files.</summary>
    [JsonIgnore]
    public string? Work { get; init; }

    /// <summary>Whether rounds that the output folder has are kept.</summary>
    [JsonIgnore]
    public bool Resume { get; init; }

    /// <summary>The operations that are timed, in their order.</summary>
    [JsonIgnore]
    public IEnumerable<TimedOperation> Timed => TimedOperation.All.Where(operation => Operations.Contains(operation.Key));

    /// <summary>
    /// The operations of which the database's part is measured: none beside peers, of whom nothing can be taken alone.
    /// </summary>
    [JsonIgnore]
    public IEnumerable<TimedOperation> TimedInDatabase =>
        TimedOperation.InDatabase.Where(operation => Peers.Count == 0 && Operations.Contains(operation.Key));

    /// <summary>The preset whose settings the layer has when its part is measured.</summary>
    [JsonIgnore]
    public string DatabasePreset => Presets.Count == 0 || Presets.Contains(Usual) ? Usual : Presets[0];

    /// <summary>The data, and what is made of them, in words. Two runs can be compared if these are equal.</summary>
    [JsonIgnore]
    public string Data
    {
        get
        {
            var versions = Versions == 2 ? "" : FormattableString.Invariant($", {Versions} versions");
            return FormattableString.Invariant(
                $"{Exact(TotalBytes)} in {SizeText.Count(Files, "file")}, 30 % zeros, seed {Seed}; blocks {Exact(BlockSize)}, volumes {Exact(VolumeSize)}{versions}{(IsEncrypted ? ", encrypted" : "")}"
            );
        }
    }

    /// <summary>What will be done, in words.</summary>
    [JsonIgnore]
    public string Plan
    {
        get
        {
            var data = $"Makes {SizeText.Of(TotalBytes)} in {SizeText.Count(Files, "file")}";
            var contenders = string.Join(", ", Peer.Contenders(this).Select(contender => contender.Name));
            var rounds = SizeText.Count(Repeat, "round");
            var database = TimedInDatabase.Any()
                ? $"\nThen the database's part of {TimedInDatabase.Count()} of them, plainly and by this layer: {rounds}."
                : "";
            return $"{data}, and times {SizeText.Count(Timed.Count(), "operation")} with {(Peers.Count == 0 ? "preset " : "")}{contenders}: {rounds}.{database}";
        }
    }

    /// <summary>Journal and synchronous mode of each preset.</summary>
    [JsonIgnore]
    public string Durability
    {
        get
        {
            var all = Presets.Select(preset =>
                preset switch
                {
                    "durable" => "durable: WAL, synchronous FULL",
                    "stock" => "stock: DELETE journal, synchronous FULL",
                    "rebuild" => "rebuild: none",
                    _ => $"{preset}: {RunEnvironment.WriteAheadLog}",
                }
            );
            return string.Join("; ", TimedInDatabase.Any() ? all.Append("plain: as default") : all);
        }
    }

    // Not rounded: runs are held to be alike by this text.
    private static string Exact(long bytes)
    {
        var unit = 0;
        for (; unit < s_units.Length - 1 && bytes > 0 && bytes % 1024 == 0; unit++)
            bytes /= 1024;
        return FormattableString.Invariant($"{bytes} {s_units[unit]}");
    }
}

/// <summary>Why an end-to-end run cannot begin or go on, as one is told it; no trace is needed.</summary>
internal sealed class EndToEndException : Exception
{
    public EndToEndException(string message)
        : base(message) { }

    public EndToEndException(string message, Exception inner)
        : base(message, inner) { }
}
