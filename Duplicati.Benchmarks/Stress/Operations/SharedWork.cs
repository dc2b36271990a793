// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Stress.Operations;

/// <summary>
/// Random operations on a backup that other processes work on as well. Words: the remote folder, the database, a source folder of its own,
/// seed, number of operations, and ticks (UTC) at which it ends at the latest whatever their number. Writes a line for each operation: its
/// name, and what went wrong.
/// </summary>
internal sealed class SharedWork
{
    /// <summary>The first word of its command line.</summary>
    public const string Command = "stress-shared";

    /// <summary>What a line says of an operation that could not be done beside the others, and has done nothing.</summary>
    public const string Refused = "refused";

    // So many stay, whatever the others delete meanwhile.
    private const int Kept = 8;
    private const int Files = 8;
    private const int MostBytes = 40_000;

    private readonly EngineOptions m_options;
    private readonly string m_source;
    private readonly Random m_random;
    private readonly CoreWork m_core;

    private SharedWork(string[] words)
    {
        m_options = Options(words[0], words[1]);
        m_source = words[2];
        m_random = new Random(int.Parse(words[3], CultureInfo.InvariantCulture));
        m_core = new CoreWork(words[1], words[0], m_random);
    }

    /// <summary>What all of them work with.</summary>
    public static EngineOptions Options(string remote, string database) =>
        new()
        {
            Remote = remote,
            DatabasePath = database,
            BlockSize = 1024,
            VolumeSize = 50 * 1024,
            Parallelism = 2,
            NoAutoCompact = true,
        };

    /// <summary>Is the process.</summary>
    public static async Task<int> RunAsync(string[] words, TextWriter output)
    {
        var work = new SharedWork(words);
        var end = new DateTime(long.Parse(words[5], CultureInfo.InvariantCulture), DateTimeKind.Utc);
        for (var left = int.Parse(words[4], CultureInfo.InvariantCulture); left > 0 && DateTime.UtcNow < end; left--)
            await output.WriteLineAsync(await work.RunOneAsync());
        return 0;
    }

    /// <summary>Writes a file of random content.</summary>
    public static void Write(string folder, string name, int size, Random random)
    {
        var content = new byte[size];
        random.NextBytes(content);
        File.WriteAllBytes(Path.Combine(folder, name), content);
    }

    private async Task<string> RunOneAsync()
    {
        var name = Choose();
        try
        {
            return $"{name}: {await RunAsync(name)}";
        }
        catch (Exception ex) when (IsRefused(ex))
        {
            return $"{name}: {Refused}: {ex.ToString().ReplaceLineEndings(" ")}";
        }
        catch (Exception ex)
        {
            return $"{name}: failed: {ex.ToString().ReplaceLineEndings(" ")}";
        }
    }

    // The database is busy, or a volume that was found has gone.
    private static bool IsRefused(Exception error) =>
        error is SqliteException { SqliteErrorCode: ResultCode.Busy }
        || error.InnerException is SqliteException { SqliteErrorCode: ResultCode.Busy }
        || error.Message.StartsWith("Expected one remote volume", StringComparison.Ordinal);

    private string Choose() =>
        m_random.Next(14) switch
        {
            < 3 => "backup",
            3 => "list",
            4 => "list-broken-files",
            5 or 6 => "test",
            7 => "delete",
            8 => "compact",
            9 => "core test",
            10 => "core verify",
            11 => "core list-broken-files",
            12 => "core list",
            _ => "verify",
        };

    // What was found to be wrong.
    private async Task<string> RunAsync(string name)
    {
        switch (name)
        {
            case "backup":
                Write(m_source, FormattableString.Invariant($"changing-{m_random.Next(Files)}"), m_random.Next(MostBytes), m_random);
                await new BackupOperation(m_options, SilentProgress.Instance).RunAsync([m_source], default);
                return "";
            case "list":
                return await ListAsync();
            case "list-broken-files":
                var broken = await new ListBrokenFilesOperation(m_options, SilentProgress.Instance).RunAsync(default);
                return string.Join(", ", broken.Select(x => $"version {x.Version} of {x.Time:O}: {x.Files.Count} files"));
            case "test":
                var test = await new TestOperation(m_options, SilentProgress.Instance).RunAsync(2, default);
                return string.Join(", ", test.Differences);
            case "delete":
                await DeleteAsync();
                return "";
            case "core test":
                return await m_core.TestAsync();
            case "core verify":
                return await m_core.VerifyAsync();
            case "core list-broken-files":
                return await m_core.ListBrokenAsync();
            case "core list":
                return await m_core.ListAsync();
            case "compact":
                await new CompactOperation(m_options, SilentProgress.Instance).RunAsync(default);
                return "";
            default:
                var report = await new VerifyOperation(m_options, SilentProgress.Instance).RunAsync(m_random.Next(2) == 0, default);
                return string.Join(", ", report.Problems);
        }
    }

    private async Task<string> ListAsync()
    {
        var listing = new DatabaseListing(m_options.DatabasePath, m_options.Preset);
        var versions = await listing.VersionsAsync(default);
        await listing.EntriesAsync(0, new FilterExpression(), default);
        return versions.Count == 0 ? "no versions" : "";
    }

    private async Task DeleteAsync()
    {
        var versions = await new DatabaseListing(m_options.DatabasePath, m_options.Preset).VersionsAsync(default);
        if (versions.Count > Kept)
            await new DeleteOperation(m_options, SilentProgress.Instance).RunAsync(new DeleteChoices { KeepVersions = Kept }, default);
    }
}
