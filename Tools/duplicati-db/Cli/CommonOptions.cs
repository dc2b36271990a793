// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using System.Text;
using Duplicati.Engine.Backup;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Encryption;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;

namespace Duplicati.Tool.Cli;

/// <summary>The options that several commands share, each with one spelling and one meaning.</summary>
internal static class CommonOptions
{
    internal static readonly Argument<string> Remote = new("REMOTE")
    {
        Description = "The remote folder: a path, a file:// address, or rclone:NAME:PATH.",
    };

    internal static readonly Argument<FileInfo> Database = new("DATABASE") { Description = "The database file." };

    internal static readonly Option<FileInfo> DatabasePath = new("--dbpath") { Description = "The local database file.", Required = true };

    internal static readonly Option<int?> Schema = SchemaVersion(
        "--schema",
        "Version of the schema of a new database (default 19, of Duplicati 2.3.0.109). One that is there keeps its own.",
        UpgradeOperation.Versions
    );

    internal static readonly Option<string> PassphraseEnvironment = new("--passphrase-env")
    {
        Description = "Name of the environment variable that holds the passphrase.",
    };

    internal static readonly Option<FileInfo> PassphraseFile = new("--passphrase-file")
    {
        Description = "File whose first line is the passphrase.",
    };

    internal static readonly Option<bool> NoEncryption = new("--no-encryption") { Description = "The volumes are not encrypted." };

    internal static readonly Option<string> Preset = new("--preset")
    {
        Description = $"Database settings: {string.Join(", ", ConnectionPreset.All.Select(x => x.Name))}.",
        DefaultValueFactory = _ => "default",
    };

    internal static readonly Option<bool> Json = new("--json") { Description = "Write the result as JSON." };

    internal static readonly Option<bool> Quiet = new("--quiet") { Description = "Write warnings and errors only." };

    internal static readonly Option<bool> Verbose = new("--verbose") { Description = "Write a line for each file." };

    internal static readonly Option<FileInfo> LogFile = new("--log-file")
    {
        Description = "Append every message to this file, with its time.",
    };

    internal static readonly Option<FileInfo> Metrics = new("--metrics")
    {
        Description = "Write what the database did (operations, rows, commits, waits) to this file as JSON.",
    };

    internal static readonly Option<FileInfo> Trace = new("--trace")
    {
        Description = "Write a timeline of the run to this file, in Chrome's trace format; ui.perfetto.dev shows it.",
    };

    internal static readonly Option<bool> DryRun = new("--dry-run") { Description = "Say what would be done and change nothing." };

    internal static readonly Option<bool> Yes = new("--yes")
    {
        Description = "Do not ask before something is lost; needed without a terminal.",
    };

    internal static readonly Option<bool> FullResult = new("--full-result", "--all")
    {
        Description = "Write long lists to their end; JSON always has all.",
    };

    internal static readonly Option<string[]> Include = new("--include")
    {
        Description =
            "Take only these paths, a folder with all below it; * and ? are wildcards, [regular expressions] stand in brackets. May be repeated.",
    };

    internal static readonly Option<string[]> Exclude = new("--exclude")
    {
        Description = "Leave out these paths, a folder with all below it, and what fits a pattern. May be repeated.",
    };

    internal static readonly Option<string?> Prefix = new("--prefix")
    {
        Description = "First part of the volume names (default: the database's own, or duplicati).",
    };

    internal static readonly Option<long?> BlockSize = Size(
        "--blocksize",
        "Block size of a new backup, such as 1kb or 100kb (default 1mb)."
    );

    internal static readonly Option<long?> VolumeSize = Size(
        "--dblock-size",
        "Size of block volumes, such as 1mb (default 50mb; 10kb at least)."
    );

    internal static readonly Option<string> Rclone = new("--rclone")
    {
        Description = "The program rclone, for an address rclone:NAME:PATH.",
        DefaultValueFactory = _ => "rclone",
    };

    internal static readonly Option<int?> Transfers = new("--transfers")
    {
        Description = "Files that one process of rclone moves at the same time, 1 to 64 (default 4).",
    };

    internal static readonly Option<long?> CacheSize = Size(
        "--cache-size",
        "Most that is fetched ahead through rclone, in the folder for temporary files (default 256mb)."
    );

    /// <summary>An option for a version of the schema.</summary>
    internal static Option<int?> SchemaVersion(string name, string description, IEnumerable<int> versions)
    {
        var option = new Option<int?>(name) { Description = description };
        option.AcceptOnlyFromAmong([.. versions.Select(x => x.ToString(CultureInfo.InvariantCulture))]);
        return option;
    }

    /// <summary>A size option that understands kb, mb, gb.</summary>
    internal static Option<long?> Size(string name, string description) =>
        new(name) { Description = description, CustomParser = ParseSize };

    /// <summary>The option for versions in the forms of upstream's: 0, or 0,2-4.</summary>
    internal static Option<long[]> Versions(string description) =>
        new("--version") { Description = description + " Several as 0,2-4.", CustomParser = ParseVersions };

    /// <summary>A time option in the forms of upstream's; a time without a zone is local.</summary>
    internal static Option<DateTime?> Time(string description, string name = "--time") =>
        new(name)
        {
            Description =
                description
                + " Write 2026-08-14T10:11:12Z, 20260814T101112Z, 2026-08-14, or 3D12h for so long ago; without a zone it is local.",
            CustomParser = ParseTime,
        };

    /// <summary>The option for versions by their exact times. May be repeated.</summary>
    internal static Option<DateTime[]> Times(string description) =>
        new("--time")
        {
            Description = description + " Exact, as list shows it: 2026-08-14T10:11:12Z; without a zone it is local. May be repeated.",
            CustomParser = result => [.. result.Tokens.Select(x => ParseTime(x.Value, result)).OfType<DateTime>()],
        };

    /// <summary>The option for what index volumes hold.</summary>
    internal static Option<IndexPolicy> IndexFilePolicy(string description) =>
        new("--index-file-policy") { Description = description, DefaultValueFactory = _ => IndexPolicy.Full };

    /// <summary>An option for how many, from 1, or all.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="description">Its help.</param>
    /// <param name="noun">What is counted, for a message.</param>
    /// <param name="ordinary">The number without the option.</param>
    internal static Option<long> CountOrAll(string name, string description, string noun, long ordinary) =>
        new(name)
        {
            Description = description,
            DefaultValueFactory = _ => ordinary,
            CustomParser = result =>
            {
                var text = Text(result);
                if (text == "all")
                    return long.MaxValue;
                if (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var count) || count == 0)
                    result.AddError($"{text} is not a number of {noun}; write 1 or more, or all.");
                return count;
            },
        };

    /// <summary>What was written for an option.</summary>
    internal static string Text(ArgumentResult result) => string.Join(" ", result.Tokens.Select(x => x.Value));

    /// <summary>What a parser makes of it; null, and its message as the error, if that is nothing.</summary>
    internal static T? Parsed<T>(ArgumentResult result, Func<T> parse)
        where T : class
    {
        try
        {
            return parse();
        }
        catch (Exception ex) when (ex is FormatException or OverflowException or ArgumentException)
        {
            result.AddError(ex.Message);
            return null;
        }
    }

    /// <summary>Adds the options that every command has.</summary>
    internal static Command WithOutput(this Command command)
    {
        command.With(Json, Quiet, Verbose, LogFile, Metrics, Trace);
        command.Checks(RequireOwnFiles);
        return command;
    }

    // What a command reads or makes, or SQLite beside a database, must not be written to by another.
    private static void RequireOwnFiles(CommandResult result)
    {
        Option<FileInfo>[] own = [LogFile, Metrics, Trace];
        var files = own.Select(x => result.GetValue(x)?.FullName).OfType<string>().Select(RealPath.Of).ToList();
        if (files.Distinct(StringComparer.Ordinal).Count() < files.Count)
            result.AddError("--log-file, --metrics and --trace need a file each.");
        if (files.Count == 0)
            return;

        var others = result
            .Children.Where(x =>
                x is ArgumentResult { Argument: Argument<FileInfo> }
                || (x is OptionResult { Option: Option<FileInfo> option } && !own.Contains(option))
            )
            .SelectMany(x => x.Tokens)
            .Where(x => x.Value.Length > 0)
            .SelectMany(x => OwnFiles.OfDatabase(RealPath.Of(x.Value)).Select(RealPath.Of));
        foreach (var taken in files.Intersect(others, StringComparer.Ordinal))
            result.AddError($"{taken} is a file that the command works on; --log-file, --metrics and --trace need others.");
    }

    /// <summary>Adds what a command needs that works on a remote folder.</summary>
    internal static Command WithRemote(this Command command) => command.WithRemote(KnownDatabase.Path);

    /// <summary>As above, with another option for the database; null for a command that adds what it needs itself.</summary>
    internal static Command WithRemote(this Command command, Option? database)
    {
        command.With(Remote);
        if (database is not null)
            command.With(database);
        command.With(PassphraseEnvironment, PassphraseFile, NoEncryption, Prefix);
        if (database is not null)
        {
            command.With(Preset);
            AesOptions.Add(command);
        }

        return command.WithRclone().WithOutput();
    }

    /// <summary>Adds how remote folders are reached through rclone.</summary>
    internal static Command WithRclone(this Command command)
    {
        command.With(Rclone, Transfers, CacheSize);
        command.Checks(result =>
        {
            if (result.GetValue(Transfers) is < 1 or > 64)
                result.AddError("--transfers takes 1 to 64.");
        });
        return command;
    }

    /// <summary>The engine's options of a parsed command line.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="stop">Ends the wait for a passphrase.</param>
    internal static EngineOptions ToEngineOptions(this ParseResult parsed, CancellationToken stop) =>
        parsed.ToEngineOptions(remote: null, stop);

    /// <summary>As above, with the address that another argument gives.</summary>
    internal static EngineOptions ToEngineOptions(this ParseResult parsed, string? remote, CancellationToken stop)
    {
        // Whoever types it, or writes to a pipe, may take long.
        var passphrase = ToolConsole.RunBlockingAsync(() => Passphrase(parsed), stop).GetAwaiter().GetResult();
        return new EngineOptions
        {
            Remote = remote ?? parsed.GetValue(Remote) ?? "",
            DatabasePath = (parsed.GetValue(KnownDatabase.Path) ?? parsed.GetValue(DatabasePath))?.FullName ?? "",
            Passphrase = passphrase,
            Aes = passphrase is null ? new AesCryptOptions() : AesOptions.Of(parsed),
            Prefix = parsed.GetValue(Prefix),
            Preset = parsed.GetValue(Preset) ?? "default",
            BlockSize = parsed.GetValue(BlockSize),
            VolumeSize = parsed.GetValue(VolumeSize),
            CompressionModule = parsed.GetValue(CompressionOptions.Module),
            Compression = CompressionOptions.Of(parsed),
            Schema = parsed.GetValue(Schema),
            DryRun = parsed.GetValue(DryRun),
            RcloneProgram = parsed.GetValue(Rclone) ?? "rclone",
            Transfers = parsed.GetValue(Transfers) ?? EngineOptions.DefaultTransfers,
            CacheSize = parsed.GetValue(CacheSize) ?? EngineOptions.DefaultCacheSize,
        };
    }

    /// <summary>The engine's options of a command that works on a database alone.</summary>
    internal static EngineOptions ToDatabaseOptions(this ParseResult parsed) =>
        new()
        {
            Remote = "",
            DatabasePath = (parsed.GetValue(KnownDatabase.Path) ?? parsed.GetValue(DatabasePath))!.FullName,
            Preset = parsed.GetValue(Preset)!,
        };

    /// <summary>The backup of a command line in further ones. No secret is read for it.</summary>
    internal static CommandWords ToCommandWords(this ParseResult parsed)
    {
        return new CommandWords(
            new EngineOptions
            {
                Remote = Text<string>(Remote.Name) ?? "",
                DatabasePath = (Text<FileInfo>(DatabasePath.Name) ?? Text<FileInfo>(Database.Name))?.FullName ?? "",
                Prefix = parsed.GetValue(Prefix),
            },
            parsed.ToAccess()
        );

        T? Text<T>(string name)
            where T : class => parsed.CommandResult.Command.Children.Any(x => x.Name == name) ? parsed.GetValue<T>(name) : null;
    }

    /// <summary>The options that say how volumes are reached, encrypted and named, as they were given.</summary>
    internal static IReadOnlyList<string> ToAccess(this ParseResult parsed)
    {
        var access = new List<string>();
        foreach (
            var option in new Option[]
            {
                PassphraseEnvironment,
                PassphraseFile,
                NoEncryption,
                Prefix,
                Preset,
                Rclone,
                Transfers,
                CacheSize,
            }.Concat(AesOptions.All)
        )
        {
            if (parsed.GetResult(option) is { Implicit: false } given)
                access.AddRange([option.Name, .. given.Tokens.Select(x => option == PassphraseFile ? Path.GetFullPath(x.Value) : x.Value)]);
        }

        return access;
    }

    private static string? Passphrase(ParseResult parsed)
    {
        var variable = parsed.GetValue(PassphraseEnvironment);
        var file = parsed.GetValue(PassphraseFile);
        var none = parsed.GetValue(NoEncryption);
        if ((variable is null ? 0 : 1) + (file is null ? 0 : 1) + (none ? 1 : 0) > 1)
            throw new UserInformationException(
                "Give one of --passphrase-env, --passphrase-file and --no-encryption, not several.",
                "InvalidPassphraseOptions"
            );
        if (none)
            return null;

        var passphrase =
            variable is not null ? OfVariable(variable)
            : file is not null ? OfFile(file.FullName)
            : PassphrasePrompt.Read();
        return string.IsNullOrEmpty(passphrase)
            ? throw new UserInformationException(
                "The passphrase is empty; use --no-encryption for volumes that are not encrypted.",
                "MissingPassphrase"
            )
            : passphrase;
    }

    // Different bytes are different passphrases, so that none is taken for another.
    private static string? OfFile(string path)
    {
        try
        {
            return File.ReadLines(path, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true))
                .FirstOrDefault();
        }
        catch (DecoderFallbackException ex)
        {
            throw new UserInformationException(
                $"{path} is not UTF-8 text, so that its first line is no passphrase; convert it, or choose another file.",
                "InvalidPassphraseOptions",
                ex
            );
        }
    }

    private static string OfVariable(string name) =>
        Environment.GetEnvironmentVariable(name)
        ?? throw new UserInformationException(
            $"The environment variable {name} is not set; --passphrase-env takes the name of the variable that holds the passphrase.",
            "MissingPassphrase"
        );

    private static long? ParseSize(ArgumentResult result)
    {
        try
        {
            if (Sizer.ParseSize(result.Tokens.Single().Value, "b") is >= 0 and var size)
                return size;
        }
        catch (Exception ex) when (ex is ArgumentException or FormatException or OverflowException or InvalidOperationException)
        {
            // Told as a negative size is.
        }

        result.AddError($"{Text(result)} is not a size; write 500kb, 1mb or 2gb.");
        return null;
    }

    private static long[] ParseVersions(ArgumentResult result) =>
        Parsed<long[]>(result, () => [.. result.Tokens.SelectMany(x => VersionRanges.Parse(x.Value)).Distinct()]) ?? [];

    private static DateTime? ParseTime(ArgumentResult result) => ParseTime(result.Tokens.Single().Value, result);

    private static DateTime? ParseTime(string text, ArgumentResult result)
    {
        try
        {
            // A blank one, as of a variable that is not set, would be now.
            if (!string.IsNullOrWhiteSpace(text))
                return Timeparser.ParseTimeInterval(text, DateTime.UtcNow, negate: true);
        }
        catch (Exception ex) when (ex is FormatException or OverflowException or ArgumentException)
        {
            // Told as a blank one is.
        }

        result.AddError($"\"{text}\" is not a time; write 2026-08-14T10:11:12Z, or 3D for three days ago.");
        return null;
    }
}
