using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Globalization;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Techniques;
using Duplicati.Library.SQLiteHelper.Diagnostics;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Instruments;

/// <summary>Measures what the instruments take of the work they are in, without a listener and with one.</summary>
/// <param name="blocks">Blocks in the table, and calls in a sample.</param>
/// <param name="rounds">Rounds that count, after one that does not.</param>
internal sealed class InstrumentCosts(int blocks, int rounds)
{
    private readonly record struct Sample(double Silent, double Instruments, double Heard, double Allocated);

    /// <summary>Measures all pieces of work, and writes a line of a table for each.</summary>
    internal void Run(TextWriter output)
    {
        using var folder = new TempFolder();
        try
        {
            using var database = BackupTrials.Open(new TrialSetup(folder, blocks), blocks);
            output.WriteLine("| work | ns a call | instruments, ns a call | share | instruments allocate, B | with a listener, ns a call |");
            output.WriteLine("|---|---:|---:|---:|---:|---:|");
            foreach (var work in InstrumentedWork.All(database, BackupTrials.Questions(0, blocks)))
                output.WriteLine(Line(work));
        }
        finally
        {
            DatabaseTemplates.Remove();
        }
    }

    private string Line(InstrumentedWork work)
    {
        var samples = new List<Sample>();
        for (var round = 0; round <= rounds; round++)
        {
            var silent = Measure(work.Run, work.Calls);
            var allocated = GC.GetAllocatedBytesForCurrentThread();
            // More of them, because they are below the clock's grain otherwise.
            var instruments = Measure(work.Instruments, work.Calls * 10) / 10;
            allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
            double heard;
            using (Listen())
                heard = Measure(work.Run, work.Calls);
            if (round > 0)
                samples.Add(new Sample(silent / work.Calls, instruments / work.Calls, heard / work.Calls, allocated));
        }

        var (call, own) = (Median(samples, x => x.Silent), Median(samples, x => x.Instruments));
        return string.Create(CultureInfo.InvariantCulture, $"| {work.Name} | {call:F0} | {own:F2} | {own / call:P2} | {Median(samples, x => x.Allocated):F0} | {Median(samples, x => x.Heard):F0} |");
    }

    private static double Measure(Action<int> work, int calls)
    {
        var before = Environment.CpuUsage.TotalTime;
        work(calls);
        return (Environment.CpuUsage.TotalTime - before).TotalNanoseconds;
    }

    // Hears everything and does nothing with it.
    private static Listeners Listen()
    {
        var meters = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == DatabaseInstruments.SourceName)
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        meters.SetMeasurementEventCallback<long>(static (_, _, _, _) => { });
        meters.SetMeasurementEventCallback<double>(static (_, _, _, _) => { });
        meters.Start();
        var activities = new ActivityListener
        {
            ShouldListenTo = source => source.Name == DatabaseInstruments.SourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
        };
        ActivitySource.AddActivityListener(activities);
        return new Listeners(meters, activities);
    }

    private static double Median(List<Sample> samples, Func<Sample, double> value)
    {
        var sorted = samples.Select(value).Order().ToArray();
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }

    private sealed class Listeners(MeterListener meters, ActivityListener activities) : IDisposable
    {
        public void Dispose()
        {
            meters.Dispose();
            activities.Dispose();
        }
    }
}
