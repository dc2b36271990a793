using System.Diagnostics;
using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Stress.Operations;

/// <summary>
/// Random operations on a backup that other processes work on as well. Words: the remote folder, the database, a source folder of its own, seed,
/// number of operations, and ticks (UTC) at which it ends at the latest whatever their number. Writes a line for each operation: its name, and
/// what went wrong.
/// </summary>
internal sealed class SharedWork
{
    /// <summary>The first word of its command line.</summary>
    public const string Command = "stress-shared";

    // So many stay, whatever the others delete meanwhile.
    private const int Kept = 8;
    private const int Files = 8;
    private const int MostBytes = 40_000;

    private readonly EngineOptions m_options;
    private readonly string m_source;
    private readonly Random m_random;

    private SharedWork(string[] words)
    {
        m_options = Options(words[0], words[1]);
        m_source = words[2];
        m_random = new Random(int.Parse(words[3], CultureInfo.InvariantCulture));
    }

    /// <summary>What all of them work with.</summary>
    public static EngineOptions Options(string remote, string database) =>
        new() { Remote = remote, DatabasePath = database, BlockSize = 1024, VolumeSize = 50 * 1024, Parallelism = 2, NoAutoCompact = true };

    /// <summary>Is the process.</summary>
    public static async Task<int> RunAsync(string[] words, TextWriter output)
    {
        var work = new SharedWork(words);
        var end = new DateTime(long.Parse(words[5], CultureInfo.InvariantCulture), DateTimeKind.Utc);
        for (var left = int.Parse(words[4], CultureInfo.InvariantCulture); left > 0 && DateTime.UtcNow < end; left--)
            await output.WriteLineAsync(await work.RunOneAsync().ConfigureAwait(false)).ConfigureAwait(false);
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
            return $"{name}: {await RunAsync(name).ConfigureAwait(false)}";
        }
        catch (Exception ex)
        {
            return $"{name}: failed: {ex.ToString().ReplaceLineEndings(" ")}";
        }
    }

    private string Choose() => m_random.Next(10) switch
    {
        < 3 => "backup",
        3 => "list",
        4 => "list-broken-files",
        5 or 6 => "test",
        7 => "delete",
        8 => "compact",
        _ => "verify",
    };

    // What was found to be wrong.
    private async Task<string> RunAsync(string name)
    {
        switch (name)
        {
            case "backup":
                Write(m_source, FormattableString.Invariant($"changing-{m_random.Next(Files)}"), m_random.Next(MostBytes), m_random);
                await new BackupOperation(m_options, SilentProgress.Instance).RunAsync([m_source], default).ConfigureAwait(false);
                return "";
            case "list":
                return await ListAsync().ConfigureAwait(false);
            case "list-broken-files":
                var broken = await new ListBrokenFilesOperation(m_options, SilentProgress.Instance).RunAsync(default).ConfigureAwait(false);
                return string.Join(", ", broken.Select(x => $"version {x.Version} of {x.Time:O}: {x.Files.Count} files"));
            case "test":
                var test = await new TestOperation(m_options, SilentProgress.Instance).RunAsync(2, default).ConfigureAwait(false);
                return string.Join(", ", test.Differences);
            case "delete":
                await DeleteAsync().ConfigureAwait(false);
                return "";
            case "compact":
                await new CompactOperation(m_options, SilentProgress.Instance).RunAsync(default).ConfigureAwait(false);
                return "";
            default:
                var report = await new VerifyOperation(m_options, SilentProgress.Instance).RunAsync(m_random.Next(2) == 0, default).ConfigureAwait(false);
                return string.Join(", ", report.Problems);
        }
    }

    private async Task<string> ListAsync()
    {
        var listing = new DatabaseListing(m_options.DatabasePath, m_options.Preset);
        var versions = await listing.VersionsAsync(default).ConfigureAwait(false);
        await listing.EntriesAsync(0, new FilterExpression(), default).ConfigureAwait(false);
        return versions.Count == 0 ? "no versions" : "";
    }

    private async Task DeleteAsync()
    {
        var versions = await new DatabaseListing(m_options.DatabasePath, m_options.Preset).VersionsAsync(default).ConfigureAwait(false);
        if (versions.Count > Kept)
            await new DeleteOperation(m_options, SilentProgress.Instance).RunAsync(new DeleteChoices { KeepVersions = Kept }, default).ConfigureAwait(false);
    }
}
