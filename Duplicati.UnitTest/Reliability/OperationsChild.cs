using System.Diagnostics;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Support;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// Random operations on a backup that other processes work on as well. Arguments: the remote folder, the database, a source folder of its own,
/// seed, number of operations, and seconds after which it ends at the latest whatever their number. Writes a line for each operation: its name,
/// and what went wrong.
/// </summary>
internal sealed class OperationsChild : IChildProgram
{
    // So many stay, whatever the others delete meanwhile.
    private const int Kept = 8;

    private readonly EngineOptions m_options;
    private readonly string m_source;
    private readonly Random m_random;

    private OperationsChild(string[] args)
    {
        m_options = new EngineOptions { Remote = args[0], DatabasePath = args[1], BlockSize = 1024, VolumeSize = 50 * 1024, Parallelism = 2, NoAutoCompact = true };
        m_source = args[2];
        m_random = new Random(int.Parse(args[3], null));
    }

    public static int Run(string[] args)
    {
        var clock = Stopwatch.StartNew();
        var child = new OperationsChild(args);
        for (var left = int.Parse(args[4], null); left > 0 && clock.Elapsed.TotalSeconds < int.Parse(args[5], null); left--)
            Console.WriteLine(child.RunOneAsync().GetAwaiter().GetResult());
        return 0;
    }

    private async Task<string> RunOneAsync()
    {
        var name = "";
        try
        {
            (name, var problem) = await ChooseAsync();
            return $"{name}: {problem}";
        }
        catch (Exception ex)
        {
            return $"{name}failed: {ex.ToString().ReplaceLineEndings(" ")}";
        }
    }

    // The name, and what was found to be wrong.
    private async Task<(string Name, string Problem)> ChooseAsync()
    {
        switch (m_random.Next(10))
        {
            case 0 or 1 or 2:
                SourceTree.Write(m_source, $"changing/{m_random.Next(8)}", m_random.Next(40_000), m_random);
                await new BackupOperation(m_options, SilentProgress.Instance).RunAsync([m_source], default);
                return ("backup", "");
            case 3:
                return ("list", await ListAsync());
            case 4:
                var broken = await new ListBrokenFilesOperation(m_options, SilentProgress.Instance).RunAsync(default);
                return ("list-broken-files", string.Join(", ", broken.Select(x => $"version {x.Version} of {x.Time:O}: {x.Files.Count} files")));
            case 5 or 6:
                var test = await new TestOperation(m_options, SilentProgress.Instance).RunAsync(2, default);
                return ("test", string.Join(", ", test.Differences));
            case 7:
                await DeleteAsync();
                return ("delete", "");
            case 8:
                await new CompactOperation(m_options, SilentProgress.Instance).RunAsync(default);
                return ("compact", "");
            default:
                var report = await new VerifyOperation(m_options, SilentProgress.Instance).RunAsync(m_random.Next(2) == 0, default);
                return ("verify", string.Join(", ", report.Problems));
        }
    }

    private async Task<string> ListAsync()
    {
        var listing = new DatabaseListing(m_options.DatabasePath, "default");
        var versions = await listing.VersionsAsync(default);
        await listing.EntriesAsync(0, new FilterExpression(), default);
        return versions.Count == 0 ? "no versions" : "";
    }

    private async Task DeleteAsync()
    {
        var versions = await new DatabaseListing(m_options.DatabasePath, "default").VersionsAsync(default);
        if (versions.Count > Kept)
            await new DeleteOperation(m_options, SilentProgress.Instance).RunAsync([1], false, default);
    }
}
