// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Serialization;
using Duplicati.Benchmarks.Replay;
using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>What an end-to-end run does.</summary>
internal sealed record EndToEndOptions
{
    private static readonly string[] s_units = ["bytes", "KB", "MB", "GB", "TB"];

    private const string Usual = "default";

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
    public IReadOnlyList<string> Presets { get; init; } = [Usual];

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

    /// <summary>
    /// The operations of which the database's part is measured: none beside peers, of whom nothing can be taken alone.
    /// </summary>
    [JsonIgnore]
    public IEnumerable<DatabaseOperation> TimedInDatabase =>
        DatabaseOperation.All.Where(operation => Peers.Count == 0 && Operations.Contains(operation.Key));

    /// <summary>The preset whose settings the layer has when its part is measured.</summary>
    [JsonIgnore]
    public string DatabasePreset => Presets.Count == 0 || Presets.Contains(Usual) ? Usual : Presets[0];

    /// <summary>The data, and what is made of them, in words. Two runs can be compared if these are equal.</summary>
    [JsonIgnore]
    public string Data
    {
        get
        {
            var source = Source is null
                ? FormattableString.Invariant($"{Exact(TotalBytes)} in {SizeText.Count(Files, "file")}, 30 % zeros, seed {Seed}")
                : Path.GetFileName(Source);
            var versions = Versions == 2 ? "" : FormattableString.Invariant($", {Versions} versions");
            return FormattableString.Invariant(
                $"{source}; blocks {Exact(BlockSize)}, volumes {Exact(VolumeSize)}{versions}{(IsEncrypted ? ", encrypted" : "")}"
            );
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

/// <summary>An operation that is timed.</summary>
/// <param name="Key">How a user names it.</param>
/// <param name="Title">How reports name it.</param>
internal sealed record TimedOperation(string Key, string Title)
{
    public static readonly TimedOperation Backup = new("backup", "backup");
    public static readonly TimedOperation Changed = new("changed", "backup 10 % changed");
    public static readonly TimedOperation Unchanged = new("unchanged", "backup unchanged");
    public static readonly TimedOperation Recreate = new("recreate", "recreate");
    public static readonly TimedOperation Restore = new("restore", "restore");
    public static readonly TimedOperation List = new("list", "list");
    public static readonly TimedOperation Test = new("test", "test");
    public static readonly TimedOperation Delete = new("delete", "delete");
    public static readonly TimedOperation Compact = new("compact", "compact");
    public static readonly TimedOperation DeleteAll = new("delete-all", "delete all");

    /// <summary>All, in the order in which they are run and reported.</summary>
    public static IReadOnlyList<TimedOperation> All { get; } =
    [Backup, Changed, Unchanged, Recreate, Restore, List, Test, Delete, Compact, DeleteAll];

    /// <summary>Where an operation of this title stands among all; unknown ones come first.</summary>
    public static int Place(string title) => All.Select(operation => operation.Title).ToList().IndexOf(title);
}

/// <summary>What a run is going to do, in words.</summary>
internal static class EndToEndPlan
{
    // On two idle processors of 2.1 GHz: starting programs, and what each block takes in a round of the engine or of the database's part.
    private const double SecondsOfAnyRound = 3;
    private const double MicrosecondsOfWholeRound = 80;
    private const double MicrosecondsOfDatabaseRound = 120;

    /// <summary>What will be done, and about how long it takes where that can be told.</summary>
    public static string Text(EndToEndOptions options)
    {
        var data = options.Source is { } source
            ? $"Backs up {source}"
            : $"Makes {SizeText.Of(options.TotalBytes)} in {SizeText.Count(options.Files, "file")}";
        var presets = options.Peers.Count == 0 ? "preset " : "";
        var contenders = presets + string.Join(", ", Peer.Contenders(options).Select(contender => contender.Name));
        var whole = SizeText.Count(options.Timed.Count(), "operation");
        var text = $"{data}, and times {whole} with {contenders}: {SizeText.Count(options.Repeat, "round")}.\n";
        if (options.TimedInDatabase.Any())
            text +=
                $"Then the database's part of {options.TimedInDatabase.Count()} of them, plainly and by this layer: {SizeText.Count(options.Repeat, "round")}.\n";
        return text + (options.Peers.Count == 0 && options.Source is null ? Duration(options) : "Nothing else should run meanwhile.");
    }

    private static string Duration(EndToEndOptions options)
    {
        var blocks = options.TotalBytes / options.BlockSize;
        var whole = options.Repeat * options.Presets.Count * (SecondsOfAnyRound + (blocks * MicrosecondsOfWholeRound / 1e6));
        var database = options.TimedInDatabase.Any() ? options.Repeat * blocks * MicrosecondsOfDatabaseRound / 1e6 : 0;
        var minutes = (int)Math.Ceiling((SecondsOfAnyRound + whole + database) / 60);
        return $"About {SizeText.Count(minutes, "minute")} on two idle processors; what else runs meanwhile spoils the figures.";
    }
}
