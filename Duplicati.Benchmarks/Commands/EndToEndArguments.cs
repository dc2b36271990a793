// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Commands;

/// <summary>The options of <c>e2e</c>.</summary>
internal sealed class EndToEndArguments
{
    private const string NoEngine = "none";

    /// <summary>What volumes are encrypted with when nothing else is said.</summary>
    public const string TestPassphrase = "end to end";

    private static readonly EndToEndOptions s_defaults = new();

    private readonly Option<DirectoryInfo?> m_source = new("--source")
    {
        Description = "Back up this folder instead of generated data",
        HelpName = "DIR",
    };
    private readonly Option<long> m_total = Size("--total", "Bytes to generate", s_defaults.TotalBytes);
    private readonly Option<int> m_files = Count("--files", "Files to generate", s_defaults.Files, 1);
    private readonly Option<long> m_seed = new("--seed")
    {
        Description = "Seed of the generated data",
        DefaultValueFactory = _ => s_defaults.Seed,
        HelpName = "N",
    };
    private readonly Option<long> m_blockSize = Size("--blocksize", "Block size", s_defaults.BlockSize);
    private readonly Option<long> m_volumeSize = Size("--dblock-size", "Volume size", s_defaults.VolumeSize);
    private readonly Option<int> m_versions = Count("--versions", "Versions; each changes a tenth of the files", s_defaults.Versions, 2);
    private readonly Option<int> m_repeat = Count("--repeat", "Rounds; one round shows no range", s_defaults.Repeat, 1);
    private readonly Option<string[]> m_peers = new("--peer")
    {
        Description = "A program with Duplicati's command line; the first is the baseline",
        HelpName = "NAME=COMMAND",
    };
    private readonly Option<string[]> m_peerOptions = new("--peer-options")
    {
        Description = "Extra options of a peer: NAME=… or NAME:OPERATION=…",
        HelpName = "NAME=OPTIONS",
    };
    private readonly Option<string[]> m_presets = new("--presets")
    {
        Description = "Presets side by side, the first is the baseline; or none [default: default]",
        AllowMultipleArgumentsPerToken = true,
        HelpName = "NAME",
    };
    private readonly Option<string[]> m_operations = new("--operations")
    {
        Description = string.Create(CultureInfo.InvariantCulture, $"Any of {string.Join(", ", s_defaults.Operations)}"),
        AllowMultipleArgumentsPerToken = true,
        HelpName = "NAME",
    };
    private readonly Option<bool> m_encrypted = new("--encrypted") { Description = "Encrypt the volumes" };
    private readonly Option<string?> m_passphraseVariable = new("--passphrase-env")
    {
        Description = "Environment variable with the passphrase; encrypts",
        HelpName = "NAME",
    };
    private readonly Option<FileInfo?> m_passphraseFile = new("--passphrase-file")
    {
        Description = "File whose first line is the passphrase; encrypts",
        HelpName = "FILE",
    };
    private readonly Option<DirectoryInfo> m_output = new("--output", "-o")
    {
        Description = "Folder for the reports",
        DefaultValueFactory = _ => new DirectoryInfo(s_defaults.Output),
        HelpName = "DIR",
    };
    private readonly Option<DirectoryInfo?> m_work = new("--work")
    {
        Description = "Folder to work in, new or empty [default: a temporary one]",
        HelpName = "DIR",
    };
    private readonly Option<bool> m_cross = new("--cross")
    {
        Description = "Have each contender use the backups of each other one; nothing is timed",
    };
    private readonly Option<bool> m_keep = new("--keep") { Description = "Keep the work folder, as after a failure" };
    private readonly Option<bool> m_resume = new("--resume")
    {
        Description = "Go on with the run in the output folder; a larger --repeat adds rounds",
    };

    public EndToEndArguments()
    {
        AcceptOnly(m_presets, [.. ConnectionPreset.All.Select(preset => preset.Name), NoEngine]);
        AcceptOnly(m_operations, [.. TimedOperation.All.Select(operation => operation.Key)]);
    }

    /// <summary>All options.</summary>
    public IEnumerable<Option> All =>
        [
            m_peers,
            m_peerOptions,
            m_presets,
            m_operations,
            m_source,
            m_total,
            m_files,
            m_seed,
            m_versions,
            m_blockSize,
            m_volumeSize,
            m_encrypted,
            m_passphraseVariable,
            m_passphraseFile,
            m_repeat,
            m_cross,
            m_output,
            m_work,
            m_keep,
            m_resume,
        ];

    /// <summary>Whether contenders are to use each other's backups.</summary>
    public bool IsCross(ParseResult parsed) => parsed.GetValue(m_cross);

    /// <summary>Reads a parsed command line.</summary>
    /// <exception cref="EndToEndException">Something in it does not fit together.</exception>
    public EndToEndOptions Read(ParseResult parsed)
    {
        var peers = PeerArguments.Parse(parsed.GetValue(m_peers) ?? [], parsed.GetValue(m_peerOptions) ?? []);
        var passphrase = Passphrase(parsed);
        var options = new EndToEndOptions
        {
            Source = parsed.GetValue(m_source)?.FullName,
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
            IsEncrypted = passphrase is not null,
            Passphrase = passphrase,
            Output = parsed.GetValue(m_output)!.FullName,
            Work = parsed.GetValue(m_work)?.FullName,
            Keep = parsed.GetValue(m_keep),
            Resume = parsed.GetValue(m_resume),
        };
        return options switch
        {
            { Source: { } source } when !Directory.Exists(source) => throw new EndToEndException(
                $"--source {source}: there is no such folder."
            ),
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
        var given = parsed.GetValue(m_presets) ?? [];
        return given.Length > 0 ? [.. given.Where(preset => preset != NoEngine).Distinct()]
            : besidePeers ? ["default"]
            : [.. s_defaults.Presets];
    }

    private string? Passphrase(ParseResult parsed)
    {
        var (variable, file) = (parsed.GetValue(m_passphraseVariable), parsed.GetValue(m_passphraseFile));
        if (variable is not null && file is not null)
            throw new EndToEndException("Give --passphrase-env or --passphrase-file, not both.");
        if (variable is null && file is null)
            return parsed.GetValue(m_encrypted) ? TestPassphrase : null;
        if (file is { Exists: false })
            throw new EndToEndException($"--passphrase-file {file}: there is no such file.");

        var passphrase = variable is not null
            ? Environment.GetEnvironmentVariable(variable)
            : File.ReadLines(file!.FullName).FirstOrDefault();
        return string.IsNullOrEmpty(passphrase)
            ? throw new EndToEndException($"{variable ?? file!.FullName} holds no passphrase.")
            : passphrase;
    }

    /// <summary>An option for a size in bytes.</summary>
    internal static Option<long> Size(string name, string description, long byDefault) =>
        new(name)
        {
            Description = $"{description}, such as 500kb, 1mb or 2gb",
            DefaultValueFactory = _ => byDefault,
            HelpName = "SIZE",
            CustomParser = result => ParseSize(name, result),
        };

    private static long ParseSize(string name, ArgumentResult result)
    {
        var text = result.Tokens.Single().Value;
        try
        {
            if (Sizer.ParseSize(text, "b") is > 0 and var size)
                return size;
        }
        catch (Exception ex) when (ex is FormatException or OverflowException)
        {
            // Told below.
        }

        result.AddError($"{name} {text}: this is no size; write 500kb, 1mb or 2gb.");
        return 0;
    }

    private static void AcceptOnly(Option<string[]> option, string[] known) =>
        option.Validators.Add(result =>
        {
            if (result.Tokens.Select(token => token.Value).FirstOrDefault(word => !known.Contains(word)) is { } wrong)
                result.AddError($"{option.Name} {wrong}: there are {string.Join(", ", known)}.");
        });

    /// <summary>An option for a number that is not under a bound.</summary>
    internal static Option<int> Count(string name, string description, int byDefault, int least)
    {
        var option = new Option<int>(name)
        {
            Description = description,
            DefaultValueFactory = _ => byDefault,
            HelpName = "N",
        };
        option.Validators.Add(result =>
        {
            if (result.Tokens.Count == 1 && int.TryParse(result.Tokens[0].Value, out var count) && count < least)
                result.AddError(FormattableString.Invariant($"{name} {count}: give {least} or more."));
        });
        return option;
    }
}
