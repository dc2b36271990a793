#nullable enable

using System.Diagnostics.Metrics;
using Duplicati.Library.SQLiteHelper.Diagnostics;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>What is asked of the open sessions at the moment when somebody wants to know it, so that it costs nothing otherwise.</summary>
internal static class SessionGauges
{
    private static readonly Instrument[] s_gauges =
    [
        DatabaseInstruments.Meter.CreateObservableUpDownCounter("duplicati.db.pending_rows", DatabaseSession.CountPendingRows, "{row}", "Rows that were accepted and not yet written."),
        DatabaseInstruments.Meter.CreateObservableUpDownCounter("duplicati.db.wal.size", DatabaseSession.MeasureLogs, "By", "Size of the write-ahead logs of the open databases."),
    ];

    /// <summary>Makes the instruments, once: a listener hears of them from then on.</summary>
    internal static void Begin() => _ = s_gauges;
}
