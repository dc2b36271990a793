// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>
/// The engine behind the command line of Duplicati, as far as an end-to-end run uses it: the engine is timed through it like any peer, and
/// tests have a peer without an installed Duplicati. Exit codes: 0 done, 1 done without changes, 2 with warnings, 3 with errors, 100
/// failed.
/// </summary>
internal sealed class StandIn
{
    /// <summary>The first word of its command line.</summary>
    public const string Name = "stand-in";

    /// <summary>The only option that Duplicati has not: a connection preset.</summary>
    public const string PresetOption = "preset";

    private const int Done = 0;
    private const int Unchanged = 1;
    private const int Warnings = 2;
    private const int Errors = 3;
    private const int Failed = 100;

    private readonly List<string> m_words;
    private readonly Dictionary<string, string> m_options;
    private readonly TextWriter m_output;

    private StandIn(string[] arguments, TextWriter output)
    {
        m_words = [.. arguments.Where(word => !IsOption(word))];
        m_options = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        m_output = output;
        foreach (var option in arguments.Where(IsOption))
        {
            var parts = option[2..].Split('=', 2);
            m_options[parts[0]] = parts.ElementAtOrDefault(1) ?? "true";
        }
    }

    /// <summary>Runs one command line.</summary>
    public static async Task<int> RunAsync(string[] arguments, TextWriter output, CancellationToken token)
    {
        try
        {
            return await new StandIn(arguments, output).RunAsync(token);
        }
        catch (Exception ex)
            when (ex
                    is UserInformationException
                        or SqliteException
                        or IOException
                        or FormatException
                        or ArgumentException
                        or UnauthorizedAccessException
            )
        {
            await output.WriteLineAsync($"Failed: {ex.Message}");
            return Failed;
        }
    }

    private static bool IsOption(string word) => word.StartsWith("--", StringComparison.Ordinal);

    private async Task<int> RunAsync(CancellationToken token)
    {
        if (m_words.Count < 2)
            throw new ArgumentException("Give a command and a remote folder.");

        return m_words[0] switch
        {
            "backup" => await BackupAsync(token),
            "repair" => await RepairAsync(token),
            "restore" => await RestoreAsync(token),
            "find" => await FindAsync(token),
            "test" => await TestAsync(token),
            "delete" => await DeleteAsync(token),
            "compact" => await CompactAsync(token),
            _ => throw new ArgumentException($"There is no command {m_words[0]}."),
        };
    }

    private async Task<int> BackupAsync(CancellationToken token)
    {
        var options = Engine() with { BlockSize = Option("blocksize") is { } size ? checked((int)Sizer.ParseSize(size, "b")) : null };
        var report = await new BackupOperation(options, SilentProgress.Instance).RunAsync([.. m_words.Skip(2)], token);
        await m_output.WriteLineAsync($"Backed up {report.Files} files; {report.NewBytes} bytes are new.");
        return report.Skipped > 0 ? Warnings
            : report.NewVersion ? Done
            : Unchanged;
    }

    // Without a database it makes one.
    private async Task<int> RepairAsync(CancellationToken token)
    {
        var report = await new RepairOperation(Engine(), new RepairChoices(), SilentProgress.Instance).RunAsync(token);
        await WriteAsync(report.Problems);
        return report.Problems.Count > 0 || report.Recreated is { Problems: > 0 } ? Warnings : Done;
    }

    private async Task<int> RestoreAsync(CancellationToken token)
    {
        var choices = new RestoreChoices
        {
            Versions = Option("version") is { } versions ? VersionRanges.Parse(versions) : [],
            Existing = ExistingFileChoice.Overwrite,
        };
        var report = await new RestoreOperation(Engine(), SilentProgress.Instance).RunAsync(Required("restore-path"), choices, token);
        await WriteAsync(report.Failed);
        return report.Failed.Count > 0 ? Errors : Done;
    }

    // In all versions.
    private async Task<int> FindAsync(CancellationToken token)
    {
        var listing = new DatabaseListing(Required("dbpath"), Engine().Preset);
        var filter = new FilterExpression(m_words.ElementAtOrDefault(2) ?? "*");
        var all = await listing.FindAsync(filter, token);
        await WriteAsync(all.Select(found => $"{found.Path} {string.Join(' ', found.Versions.Select(version => version.Size))}"));
        return Done;
    }

    // Of all volumes.
    private async Task<int> TestAsync(CancellationToken token)
    {
        var report = await new TestOperation(Engine(), SilentProgress.Instance).RunAsync(long.MaxValue, token);
        await WriteAsync(report.Differences.Select(difference => $"{difference.Volume}: {difference.Status} {difference.Key}"));
        return report.Differences.Count > 0 ? Errors : Done;
    }

    private async Task<int> DeleteAsync(CancellationToken token)
    {
        var report = await new DeleteOperation(Engine(), SilentProgress.Instance).RunAsync(
            VersionRanges.Parse(Required("version")),
            Option("allow-full-removal") == "true",
            token
        );
        await m_output.WriteLineAsync($"Deleted {report.DeletedVersions} versions.");
        return Done;
    }

    private async Task<int> CompactAsync(CancellationToken token)
    {
        var report = await new CompactOperation(Engine(), SilentProgress.Instance).RunAsync(token);
        await m_output.WriteLineAsync($"Deleted {report.DeletedVolumes} volumes.");
        return report.DeletedVolumes > 0 ? Done : Unchanged;
    }

    private EngineOptions Engine()
    {
        var options = new EngineOptions
        {
            Remote = m_words[1],
            DatabasePath = Required("dbpath"),
            Passphrase = Option("passphrase"),
            Preset = Option(PresetOption) ?? "default",
            VolumeSize = Option("dblock-size") is { } size ? Sizer.ParseSize(size, "b") : null,
        };
        return Option("threshold") is { } threshold
            ? options with
            {
                CompactThreshold = long.Parse(threshold, System.Globalization.CultureInfo.InvariantCulture),
            }
            : options;
    }

    private string? Option(string name) => m_options.GetValueOrDefault(name);

    private string Required(string name) => Option(name) ?? throw new ArgumentException($"--{name} is missing.");

    private async Task WriteAsync(IEnumerable<string> lines)
    {
        foreach (var line in lines)
            await m_output.WriteLineAsync(line);
    }
}
