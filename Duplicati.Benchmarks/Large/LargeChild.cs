using System.Diagnostics;
using System.Text.Json;
using Duplicati.Benchmarks.Processes;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Memory;

namespace Duplicati.Benchmarks.Large;

/// <summary>The side of a step's own process: does the step, writes what it took.</summary>
internal static class LargeChild
{
    /// <summary>Name of the command that starts it.</summary>
    internal const string Command = "large-case";

    // Enough to have everything compiled as it stays; small ones, because the peak of memory is that of the process.
    private const int WarmUpRounds = 10;
    private const long WarmUpBlocks = 20_000;

    private static readonly TimeSpan s_givesBack = TimeSpan.FromSeconds(1);

    /// <summary>The runtime's settings of <c>duplicati-db</c>, whose memory the bounds are for.</summary>
    internal static readonly (string Name, string Value)[] Settings =
    [
        ("DOTNET_GCgen0size", "0x400000"),
        ("DOTNET_GCConserveMemory", "5"),
        ("DOTNET_gcConcurrent", "0"),
        ("DOTNET_TieredPGO", "0"),
    ];

    /// <summary>The file of the database within the folder.</summary>
    internal static string DatabaseIn(string folder) => Path.Combine(folder, "db.sqlite");

    /// <summary>Does a step.</summary>
    /// <param name="item">The case, as JSON.</param>
    /// <param name="folder">An existing folder with the database of the step before.</param>
    /// <param name="output">Gets the cost, as JSON.</param>
    /// <param name="token">Stops it.</param>
    internal static async Task<int> RunAsync(string item, string folder, TextWriter output, CancellationToken token)
    {
        var given = JsonSerializer.Deserialize<LargeCase>(item)!;
        using var preset = ConnectionPreset.Use(given.Preset);
        using var memory = given.Preset == ConnectionPreset.Small.Name ? KeepLittleMemory() : null;
        await WarmUpAsync(given, folder, token).ConfigureAwait(false);
        await output.WriteLineAsync(JsonSerializer.Serialize(await MeasureAsync(given, DatabaseIn(folder), token).ConfigureAwait(false))).ConfigureAwait(false);
        return ExitCodes.Done;
    }

    // As duplicati-db does under this preset.
    private static Timer KeepLittleMemory()
    {
        NativeHeap.KeepLittle();
        return new Timer(static _ => NativeHeap.GiveBack(), null, s_givesBack, s_givesBack);
    }

    private static async Task WarmUpAsync(LargeCase given, string folder, CancellationToken token)
    {
        string[] steps = given.Step == LargeSteps.Recreate ? [LargeSteps.Recreate] : LargeSteps.Chain[..(Array.IndexOf(LargeSteps.Chain, given.Step) + 1)];
        var backup = new LargeBackup(Math.Min(WarmUpBlocks, given.Blocks));
        var place = Directory.CreateDirectory(Path.Combine(folder, "warm-up"));
        // Who asks for less only tries it out.
        for (var round = 0; round < (given.Blocks > WarmUpBlocks ? WarmUpRounds : 1); round++)
        {
            foreach (var step in steps)
                await LargeWork.RunAsync(step, backup, Path.Combine(place.FullName, FormattableString.Invariant($"{round}.sqlite")), new LayerClock(), token).ConfigureAwait(false);
        }

        place.Delete(recursive: true);
        GC.Collect();
    }

    private static async Task<LargeCost> MeasureAsync(LargeCase given, string path, CancellationToken token)
    {
        var (clock, began, written) = (new LayerClock(), Now(), ProcessWrites.Bytes() ?? 0);
        await LargeWork.RunAsync(given.Step, new LargeBackup(given.Blocks), path, clock, token).ConfigureAwait(false);
        written = (ProcessWrites.Bytes() ?? 0) - written;
        using var self = Process.GetCurrentProcess();
        return new LargeCost(clock.Processor.TotalMicroseconds, clock.Elapsed.TotalMicroseconds, self.PeakWorkingSet64, written, began, Now());
    }

    private static double Now() => (DateTime.UtcNow - DateTime.UnixEpoch).TotalSeconds;
}
