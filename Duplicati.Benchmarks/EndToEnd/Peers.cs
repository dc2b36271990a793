// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine.Parsing;
using System.Text.RegularExpressions;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>A program with the command line of Duplicati.</summary>
/// <param name="Name">How reports name it.</param>
/// <param name="Command">The program and what comes before its command.</param>
/// <param name="Options">Options that it gets beside those that all get.</param>
internal sealed record Peer(string Name, IReadOnlyList<string> Command, IReadOnlyList<PeerOptions> Options)
{
    /// <summary>Variables of the process, beside those that all get.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>();

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
        var name = besidePeers
            ? preset == "default"
                ? "engine"
                : $"engine {preset}"
            : preset;
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

/// <summary>Reads what the command line says about peers, and writes words as they are typed.</summary>
internal static partial class PeerArguments
{
    /// <summary>Reads the peers and their options.</summary>
    /// <param name="peers">Each <c>NAME=COMMAND</c>.</param>
    /// <param name="options">Each <c>NAME=OPTIONS</c> or <c>NAME:OPERATION=OPTIONS</c>.</param>
    /// <exception cref="EndToEndException">One of them is not understood.</exception>
    public static IReadOnlyList<Peer> Parse(IReadOnlyCollection<string> peers, IReadOnlyCollection<string> options)
    {
        var read = peers.Select(ParsePeer).ToList();
        if (read.GroupBy(peer => peer.Name).FirstOrDefault(group => group.Count() > 1) is { } twice)
            throw new EndToEndException($"There are two peers {twice.Key}; give each a name of its own.");

        foreach (var text in options)
        {
            var (name, given) = ParseOptions(text);
            var place = read.FindIndex(peer => peer.Name == name);
            if (place < 0)
                throw new EndToEndException($"--peer-options {text}: there is no peer {name}.");
            read[place] = read[place] with { Options = [.. read[place].Options, given] };
        }

        return read;
    }

    /// <summary>A word as a shell takes it.</summary>
    public static string Quote(string word) =>
        word.Length > 0
        && word.All(letter => char.IsAsciiLetterOrDigit(letter) || "-_=./:,+@%\\".Contains(letter, StringComparison.Ordinal))
            ? word
            : $"\"{word}\"";

    private static Peer ParsePeer(string text)
    {
        var equals = text.IndexOf('=', StringComparison.Ordinal);
        if (equals < 0 || !Name().IsMatch(text[..equals]))
            throw new EndToEndException($"--peer {text}: write NAME=COMMAND, with letters, digits, dots and dashes in the name.");

        var command = text[(equals + 1)..];
        // A path may hold spaces.
        var words = File.Exists(command) ? [command] : CommandLineParser.SplitCommandLine(command).ToList();
        if (words.Count == 0)
            throw new EndToEndException($"--peer {text}: there is no command.");
        return new Peer(text[..equals], words, []);
    }

    private static (string Name, PeerOptions Options) ParseOptions(string text)
    {
        var equals = text.IndexOf('=', StringComparison.Ordinal);
        var head = equals < 0 ? [] : text[..equals].Split(':');
        if (head is not ([_] or [_, _]))
            throw new EndToEndException($"--peer-options {text}: write NAME=OPTIONS or NAME:OPERATION=OPTIONS.");
        if (head is [_, var operation] && TimedOperation.All.All(known => known.Key != operation))
            throw new EndToEndException(
                $"--peer-options {text}: there is no operation {operation}; there are {string.Join(", ", TimedOperation.All.Select(known => known.Key))}."
            );

        var words = CommandLineParser.SplitCommandLine(text[(equals + 1)..]).ToList();
        return (head[0], new PeerOptions(head.ElementAtOrDefault(1), words));
    }

    [GeneratedRegex("^[A-Za-z0-9._-]+$")]
    private static partial Regex Name();
}

/// <summary>What an operation works on.</summary>
/// <param name="Remote">The remote folder.</param>
/// <param name="Database">The database file.</param>
/// <param name="Folder">Source or target; empty where there is none.</param>
/// <param name="Versions">Versions to delete, such as <c>1</c> or <c>0-2</c>.</param>
internal sealed record Step(string Remote, string Database, string Folder = "", string Versions = "");

/// <summary>Operations in the words of Duplicati's command line.</summary>
internal static class CoreCommandLine
{
    /// <summary>Nobody is told of a run, nothing is updated, and settings of the user's own are left alone.</summary>
    public static Dictionary<string, string> Environment(string home) =>
        new()
        {
            ["DUPLICATI_HOME"] = home,
            ["USAGEREPORTER_Duplicati_LEVEL"] = "none",
            ["AUTOUPDATER_Duplicati_POLICY"] = "Never",
        };

    /// <summary>The program and all its arguments.</summary>
    public static IReadOnlyList<string> Words(Peer peer, TimedOperation operation, Step step, EndToEndOptions options) =>
        [
            .. peer.Command,
            .. Command(operation, step),
            "--dbpath=" + step.Database,
            FormattableString.Invariant($"--blocksize={options.BlockSize}b"),
            FormattableString.Invariant($"--dblock-size={options.VolumeSize}b"),
            options.Passphrase is { } passphrase ? "--passphrase=" + passphrase : "--no-encryption=true",
            "--disable-module=console-password-input",
            .. peer.OptionsOf(operation),
        ];

    private static string[] Command(TimedOperation operation, Step step)
    {
        var remote = "file://" + step.Remote;
        return operation.Key switch
        {
            "backup" or "changed" or "unchanged" => ["backup", remote, step.Folder],
            "recreate" => ["repair", remote],
            "restore" => ["restore", remote, "*", "--restore-path=" + step.Folder],
            "list" => ["find", remote, "*", "--all-versions=true"],
            "test" => ["test", remote, "all", "--full-remote-verification=true"],
            "delete" => ["delete", remote, "--version=" + step.Versions],
            "compact" => ["compact", remote, "--threshold=1"],
            "delete-all" => ["delete", remote, "--version=" + step.Versions, "--allow-full-removal=true"],
            _ => throw new ArgumentException($"There is no operation {operation.Key}.", nameof(operation)),
        };
    }
}
