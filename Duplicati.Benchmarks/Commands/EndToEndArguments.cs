// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.Commands;

/// <summary>The options of <c>e2e</c>.</summary>
/// <param name="command">Gets them.</param>
internal sealed class EndToEndArguments(Command command)
{
    private const string NoEngine = "none";

    private static readonly EndToEndOptions s_defaults = new();

    private readonly Option<string[]> m_peers = command.Add<string[]>(
        "--peer",
        "A program with Duplicati's command line; the first is the baseline",
        "NAME=COMMAND"
    );
    private readonly Option<string[]> m_peerOptions = command.Add<string[]>(
        "--peer-options",
        "Extra options of a peer: NAME=… or NAME:OPERATION=…",
        "NAME=OPTIONS"
    );
    private readonly Option<string[]> m_presets = command
        .Many<string>("--presets", "Presets side by side, the first is the baseline; or none [default: default]", "NAME")
        .AcceptOnly([.. ConnectionPreset.All.Select(preset => preset.Name), NoEngine]);
    private readonly Option<string[]> m_operations = command
        .Many<string>("--operations", $"Any of {string.Join(", ", s_defaults.Operations)}", "NAME")
        .AcceptOnly([.. s_defaults.Operations]);
    private readonly Option<long> m_total = command.Size("--total", "Bytes to generate").Or(s_defaults.TotalBytes);
    private readonly Option<int> m_files = command.Add<int>("--files", "Files to generate", "N").Or(s_defaults.Files).AtLeast(1);
    private readonly Option<long> m_seed = command.Add<long>("--seed", "Seed of the generated data", "N").Or(s_defaults.Seed);
    private readonly Option<int> m_versions = command
        .Add<int>("--versions", "Versions; each changes a tenth of the files", "N")
        .Or(s_defaults.Versions)
        .AtLeast(2);
    private readonly Option<long> m_blockSize = command.Size("--blocksize", "Block size").Or(s_defaults.BlockSize);
    private readonly Option<long> m_volumeSize = command.Size("--dblock-size", "Volume size").Or(s_defaults.VolumeSize);
    private readonly Option<bool> m_encrypted = command.Add<bool>("--encrypted", "Encrypt the volumes");
    private readonly Option<int> m_repeat = command
        .Add<int>("--repeat", "Rounds; one round shows no range", "N")
        .Or(s_defaults.Repeat)
        .AtLeast(1);
    private readonly Option<bool> m_cross = command.Add<bool>(
        "--cross",
        "Have each contender use the backups of each other one; nothing is timed"
    );
    private readonly Option<DirectoryInfo> m_output = command
        .Add<DirectoryInfo>("--output -o", "Folder for the reports", "DIR")
        .Or(new DirectoryInfo(s_defaults.Output));
    private readonly Option<DirectoryInfo?> m_work = command.Add<DirectoryInfo?>(
        "--work",
        "Folder to work in, new or empty [default: a temporary one]",
        "DIR"
    );
    private readonly Option<bool> m_resume = command.Add<bool>(
        "--resume",
        "Go on with the run in the output folder; a larger --repeat adds rounds"
    );

    /// <summary>Whether contenders are to use each other's backups.</summary>
    public bool IsCross(ParseResult parsed) => parsed.GetValue(m_cross);

    /// <summary>Reads a parsed command line.</summary>
    /// <exception cref="EndToEndException">Something in it does not fit together.</exception>
    public EndToEndOptions Read(ParseResult parsed)
    {
        var peers = PeerArguments.Parse(parsed.GetValue(m_peers) ?? [], parsed.GetValue(m_peerOptions) ?? []);
        var options = new EndToEndOptions
        {
            TotalBytes = parsed.GetValue(m_total),
            Files = parsed.GetValue(m_files),
            Seed = parsed.GetValue(m_seed),
            BlockSize = parsed.GetValue(m_blockSize) is var size and <= int.MaxValue
                ? (int)size
                : throw new EndToEndException("--blocksize is too large."),
            VolumeSize = parsed.GetValue(m_volumeSize),
            Versions = parsed.GetValue(m_versions),
            Repeat = parsed.GetValue(m_repeat),
            Peers = peers,
            Presets = Presets(parsed, peers.Count > 0),
            Operations = parsed.GetValue(m_operations) is { Length: > 0 } chosen ? [.. chosen.Distinct()] : s_defaults.Operations,
            IsEncrypted = parsed.GetValue(m_encrypted),
            Output = parsed.GetValue(m_output)!.FullName,
            Work = parsed.GetValue(m_work)?.FullName,
            Resume = parsed.GetValue(m_resume),
        };
        return options switch
        {
            { Resume: true } when IsCross(parsed) => throw new EndToEndException("--cross cannot be resumed; leave --resume out."),
            _ when IsCross(parsed) && Peer.Contenders(options).Count < 2 => throw new EndToEndException(
                "--cross needs two contenders: another --peer, or the engine."
            ),
            _ when Peer.Contenders(options) is { Count: 0 } => throw new EndToEndException(
                "There is nothing to time: give a --peer, or --presets other than none."
            ),
            _ when Peer.Contenders(options).GroupBy(contender => contender.Name).FirstOrDefault(group => group.Count() > 1) is { } twice =>
                throw new EndToEndException($"Two contenders are called {twice.Key}; call the peer otherwise."),
            _ => options,
        };
    }

    private string[] Presets(ParseResult parsed, bool besidePeers)
    {
        var given = parsed.GetValue(m_presets)!;
        return given.Length > 0 ? [.. given.Where(preset => preset != NoEngine).Distinct()]
            : besidePeers ? ["default"]
            : [.. s_defaults.Presets];
    }
}
