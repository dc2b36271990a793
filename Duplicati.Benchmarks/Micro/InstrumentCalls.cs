// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Diagnostics.Metrics;
using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Metrics;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Micro;

/// <summary>What the instruments (docs/observability.md) take of the work they are in: alone, and while somebody listens.</summary>
[BenchmarkGroup("instruments")]
[BaselineVariant(nameof(Part), Silent)]
public class InstrumentCalls : DatabaseBenchmark
{
    private const string Silent = "call";
    private const string Heard = "call, with a listener";
    private const string Alone = "instruments alone";
    private const string LookUp = "look-up of a block in memory";
    private const string Row = "row by its id, one statement";
    private const string ShortMember = "short member: id of a volume";
    private const string OneCommit = "commit of one row";
    private const string Volume = "measured.dblock.zip";
    private const int CallsPerCommit = 100;

    private LocalBackupDatabase? m_database;
    private BlockQuestions? m_questions;
    private IDisposable? m_listener;

    /// <summary>The work.</summary>
    [Params(LookUp, Row, ShortMember, OneCommit)]
    public string Call { get; set; } = LookUp;

    /// <summary>The work, or only what the instruments do in it.</summary>
    [Params(Silent, Heard, Alone)]
    public string Part { get; set; } = Silent;

    protected override string? Template => BlockDatabase.Template(Blocks);

    protected override int Rows => Call == OneCommit ? Blocks / CallsPerCommit : Blocks;

    protected override long ExpectedAnswer => Rows;

    private static int Blocks => BenchmarkScale.Of(1_000_000, 100_000);

    private DatabaseSession Session => m_database!.Session;

    protected override void Work()
    {
        Action<int> call = (Call, Part == Alone) switch
        {
            (LookUp, false) => i => m_database!.FindBlockIDAsync(m_questions!.Texts[i], m_questions.Sizes[i], default).Await(),
            (LookUp, true) => _ => Session.BlockLookUps.Requests++,
            (Row, false) => ReadRow,
            (Row, true) => _ => CountStatement(Session.Statements.Figures),
            (ShortMember, false) => _ => m_database!.GetRemoteVolumeIDAsync(Volume, default).Await(),
            (ShortMember, true) => _ => Watch("GetRemoteVolumeIDAsync"),
            (_, false) => _ => LogAndCommit(),
            (_, true) => _ => WatchCommit(),
        };
        for (var i = 0; i < Rows; i++)
            call(i);
        Answer = Rows;
    }

    protected override void Prepare()
    {
        _ = BlockKeys.Get(Blocks);
        m_questions = new BlockQuestions(Blocks, step => BlockTable.Scatter(step, Blocks));
        _ = (m_questions.Texts, m_questions.Sizes);
        m_database = LocalBackupDatabase.CreateAsync(DatabasePath, new Options([]), default).Await();
        m_database.RegisterRemoteVolumeAsync(Volume, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default).Await();
        BlockMap.Of(Session).Fill();
        m_listener = Part == Heard ? new InstrumentListener() : null;
    }

    protected override void CleanUp()
    {
        m_listener?.Dispose();
        m_database?.Dispose();
    }

    private void ReadRow(int number)
    {
        using var row = Session.Take(BlockSql.KeyOfId);
        row.Bind(1, number + 1).Read();
    }

    private static void CountStatement(StatementFigures figures)
    {
        figures.Reused++;
        figures.RowsRead++;
    }

    private void Watch(string member)
    {
        Session.StartWatch(member, isActivity: false)?.End();
        CountStatement(Session.Statements.Figures);
    }

    private void LogAndCommit()
    {
        m_database!.LogMessageAsync("Message", "measured", null, default).Await();
        m_database.Transaction.CommitAsync(default(CancellationToken)).Await();
    }

    private void WatchCommit()
    {
        Session.StartWatch("LogMessageAsync", isActivity: false)?.End();
        Session.StartWatch("COMMIT")?.End();
        Session.ReportCommit();
    }
}

/// <summary>Hears everything and does nothing with it.</summary>
internal sealed class InstrumentListener : IDisposable
{
    private readonly MeterListener m_meters = new();
    private readonly ActivityListener m_activities = new()
    {
        ShouldListenTo = source => source.Name == DatabaseInstruments.SourceName,
        Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
    };

    public InstrumentListener()
    {
        m_meters.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == DatabaseInstruments.SourceName)
                listener.EnableMeasurementEvents(instrument);
        };
        m_meters.SetMeasurementEventCallback<long>(static (_, _, _, _) => { });
        m_meters.SetMeasurementEventCallback<double>(static (_, _, _, _) => { });
        m_meters.Start();
        ActivitySource.AddActivityListener(m_activities);
    }

    public void Dispose()
    {
        m_meters.Dispose();
        m_activities.Dispose();
    }
}
