// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics.CodeAnalysis;
using Duplicati.Engine.Diagnostics;
using Duplicati.Library.SQLiteHelper.Metrics;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace Duplicati.Tool.Diagnostics;

/// <summary>
/// Sends activities and figures to the collector that the environment names, as OpenTelemetry defines its variables. Nothing of that
/// library is loaded without the variable.
/// </summary>
internal sealed class OtlpExport : IDisposable
{
    /// <summary>The variable that asks for it.</summary>
    internal const string Endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";

    private const string Switch = "Duplicati.Tool.Otlp";

    // What a collector may take for the last of it at the end of a command.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly TracerProvider m_activities;
    private readonly MeterProvider m_figures;
    private bool m_isWaitedFor = true;

    private OtlpExport()
    {
        m_activities = Sdk.CreateTracerProviderBuilder()
            .ConfigureResource(Describe)
            .AddSource(DatabaseInstruments.SourceName, EngineActivities.SourceName, CommandRecording.SourceName)
            .AddOtlpExporter()
            .Build();
        m_figures = Sdk.CreateMeterProviderBuilder()
            .ConfigureResource(Describe)
            .AddMeter(DatabaseInstruments.SourceName)
            .AddOtlpExporter()
            .Build();
    }

    /// <summary>False where the program was published without the library: the trimmer leaves it out then.</summary>
    [FeatureSwitchDefinition(Switch)]
    private static bool IsSupported => !AppContext.TryGetSwitch(Switch, out var isOn) || isOn;

    /// <summary>Begins to listen.</summary>
    /// <param name="warn">Hears that this program cannot send anything.</param>
    /// <returns>Null if the environment names no collector.</returns>
    internal static OtlpExport? Start(Action<string> warn)
    {
        if (string.IsNullOrWhiteSpace(Environment.GetEnvironmentVariable(Endpoint)))
            return null;
        if (IsSupported)
            return new OtlpExport();

        warn($"This program was published without the exporter to the collector of {Endpoint}.");
        return null;
    }

    /// <summary>Sends what is left, and waits for it a few seconds.</summary>
    /// <returns>What to warn of; null if all was taken.</returns>
    internal async Task<string?> FinishAsync()
    {
        var patience = (int)s_patience.TotalMilliseconds;
        var sent = Task.WhenAll(Task.Run(() => m_activities.ForceFlush(patience)), Task.Run(() => m_figures.ForceFlush(patience)));
        m_isWaitedFor = await Task.WhenAny(sent, Task.Delay(s_patience)) == sent;
        return m_isWaitedFor && (await sent).All(static x => x)
            ? null
            : $"The collector of {Endpoint} did not take all metrics and traces.";
    }

    /// <summary>Whoever is still sending goes with the process.</summary>
    public void Dispose()
    {
        if (!m_isWaitedFor)
            return;
        m_activities.Dispose();
        m_figures.Dispose();
    }

    private static void Describe(ResourceBuilder resource) =>
        resource
            .AddService(CommandRecording.SourceName, serviceVersion: DatabaseInstruments.VersionOf(typeof(OtlpExport).Assembly))
            .AddEnvironmentVariableDetector();
}
