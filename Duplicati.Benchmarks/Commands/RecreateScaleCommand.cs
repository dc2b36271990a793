using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Duplicati.Benchmarks.Micro.Recreate;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>recreate-scale</c>: rebuilds databases of growing size and of files of growing length, and prints what a block costs: processor time by phase and in all, then time on the clock.</summary>
internal static class RecreateScaleCommand
{
    private const long SmallFile = 1024;
    private const long LargeFile = 512 * 1024;

    public static Command Create()
    {
        var huge = new Option<bool>("--huge") { Description = "Also ten million blocks (some minutes, 4 GB of disk)" };
        var quick = new Option<bool>("--quick") { Description = "A hundredth of everything, to see that it runs" };
        var command = new Command("recreate-scale", "Shows that a recreate's cost of a block stays the same with more blocks and with longer files") { huge, quick };
        command.SetAction(parsed => Run(parsed.GetValue(huge), parsed.GetValue(quick)));
        return command;
    }

    /// <summary>Runs all cases; progress and memory figures are part of the table on stdout.</summary>
    /// <param name="huge">Also ten million blocks.</param>
    /// <param name="quick">A hundredth of everything, to see that it runs.</param>
    private static int Run(bool huge, bool quick)
    {
        var divisor = quick ? 100 : 1;
        Console.Out.WriteLine($"{"case",-34} {"blocks",10} {"filelist",9} {"index",9} {"resolve",9} {"cleanup",9} {"close",9} {"µs/block",9} {"clock µs",9} {"peak MB",9}");
        var small = Measure("layer, 512 files of 1 MB", LargeFile / divisor, SmallFile, p => new LayerVariant(p));
        var large = Measure("layer, 1 file of 512 MB", LargeFile / divisor, LargeFile, p => new LayerVariant(p));
        var first = Measure("layer, files of 1 MB", 100_000 / divisor, SmallFile, p => new LayerVariant(p));
        var million = Measure("layer, files of 1 MB", 1_000_000 / divisor, SmallFile, p => new LayerVariant(p));
        var last = huge ? Measure("layer, files of 1 MB", 10_000_000 / divisor, SmallFile, p => new LayerVariant(p)) : million;
        var plain = Measure("plain provider, files of 1 MB", 1_000_000 / divisor, SmallFile, p => new PlainVariant(p));

        Print("one large file : many small files", large / small);
        Print("most blocks : fewest blocks", last / first);
        Print("plain provider : layer, at one million", plain / million);
        return 0;
    }

    private static void Print(string what, double ratio) =>
        Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{what,-44} {ratio:F2}"));

    private static double Measure(string name, long blocks, long blocksPerFile, Func<string, IRebuildVariant> create)
    {
        GC.Collect();
        var folder = Directory.CreateTempSubdirectory("recreate-scale-");
        try
        {
            var backup = new SyntheticBackup(blocks, blocksPerFile);
            var path = Path.Combine(folder.FullName, "db.sqlite");
            using var memory = new PeakMemory();
            using var variant = create(path);
            var run = new RebuildRun(backup, variant);
            run.Run();
            Check(path, backup);
            var perBlock = run.Phases.Sum(x => x.Processor.TotalMicroseconds) / blocks;
            var clock = run.Phases.Sum(x => x.Elapsed.TotalMicroseconds) / blocks;
            var phases = string.Join(' ', run.Phases.Select(x => (x.Processor.TotalMicroseconds / blocks).ToString("F2", CultureInfo.InvariantCulture).PadLeft(9)));
            Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name,-34} {blocks,10} {phases} {perBlock,9:F2} {clock,9:F2} {memory.MegaBytes,9}"));
            return perBlock;
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    // A fast wrong answer must not pass as a fast one.
    private static void Check(string path, SyntheticBackup backup)
    {
        var rows = RebuiltRows.Count(path);
        if (rows != backup.ExpectedRows)
            throw new InvalidOperationException($"The rebuilt database has {rows} rows instead of {backup.ExpectedRows}.");
    }

    // The greatest resident size seen while it lives, sampled, as the process's own peak never goes down.
    private sealed class PeakMemory : IDisposable
    {
        private readonly Timer m_timer;
        private long m_peak;

        internal PeakMemory() => m_timer = new Timer(_ => Sample(), null, 0, 50);

        internal long MegaBytes => Interlocked.Read(ref m_peak) >> 20;

        public void Dispose() => m_timer.Dispose();

        private void Sample()
        {
            using var process = Process.GetCurrentProcess();
            var size = process.WorkingSet64;
            if (size > Interlocked.Read(ref m_peak))
                Interlocked.Exchange(ref m_peak, size);
        }
    }
}
