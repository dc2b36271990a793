// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Duplicati.Tool.Diagnostics;

namespace Duplicati.UnitTest.Tool;

/// <summary>What a collector of OpenTelemetry gets of the tool. It hears everything in the process, so nothing else may work
/// meanwhile.</summary>
[TestFixture]
[NonParallelizable]
internal sealed class ToolCollectorTests : ToolTestBase
{
    [Test]
    public async Task A_collector_gets_the_figures_and_activities_of_a_backup()
    {
        using var collector = new Collector();
        using var endpoint = new EnvironmentVariable(OtlpExport.Endpoint, collector.Address);
        using var protocol = new EnvironmentVariable("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
        var run = await ToolRun.OkAsync(Tool.BackUpAsync());
        Assert.That(run.Error, Does.Not.Contain("Warning"));
        Assert.That(run.Flag("newVersion"), Is.True);
        var version = FileVersionInfo.GetVersionInfo(typeof(OtlpExport).Assembly.Location).ProductVersion!;
        foreach (
            var (path, names) in new[]
            {
                ("/v1/traces", new[] { "Duplicati.Database", "Duplicati.Engine", "duplicati-db", "backup", "COMMIT", "put" }),
                ("/v1/metrics", ["Duplicati.Database", "db.client.operation.duration", "duplicati.db.commits"]),
            }
        )
        {
            foreach (var name in names.Concat(["db.namespace", "backup.sqlite", "service.name", version]))
                Assert.That(collector.Received(path), Does.Contain(name), path);
        }
    }

    [Test]
    public async Task The_environment_names_the_service()
    {
        using var collector = new Collector();
        using var endpoint = new EnvironmentVariable(OtlpExport.Endpoint, collector.Address);
        using var protocol = new EnvironmentVariable("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
        using var service = new EnvironmentVariable("OTEL_SERVICE_NAME", "nightly");
        await Tool.BackUpAsync();
        Assert.That(collector.Received("/v1/metrics"), Does.Contain("nightly"));
    }

    [TestCase("http/protobuf")]
    [TestCase("grpc")]
    public async Task A_collector_that_is_not_there_costs_one_line(string protocol)
    {
        using var endpoint = new EnvironmentVariable(OtlpExport.Endpoint, $"http://127.0.0.1:{FreePort()}");
        using var chosen = new EnvironmentVariable("OTEL_EXPORTER_OTLP_PROTOCOL", protocol);
        var run = await ToolRun.OkAsync(Tool.BackUpAsync());
        Assert.That(run.Flag("newVersion"), Is.True);
        Assert.That(run.Error.Split('\n').Where(x => x.Contains("collector", StringComparison.Ordinal)), Has.Exactly(1).Items, run.Error);
    }

    [Test]
    public async Task A_collector_that_takes_the_call_and_never_answers_is_given_up()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        using var endpoint = new EnvironmentVariable(OtlpExport.Endpoint, $"http://{silent.LocalEndpoint}");
        using var protocol = new EnvironmentVariable("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
        using var timeout = new EnvironmentVariable("OTEL_EXPORTER_OTLP_TIMEOUT", "100000000");
        var run = await ToolRun.OkAsync(Tool.BackUpAsync());
        Assert.That(run.Error, Does.Contain(OtlpExport.Endpoint));
    }

    [Test]
    public async Task An_address_that_is_none_does_not_stop_the_command()
    {
        using var endpoint = new EnvironmentVariable(OtlpExport.Endpoint, "no address");
        var run = await ToolRun.OkAsync(Tool.BackUpAsync());
    }

    [Test]
    public async Task A_program_that_was_published_without_the_export_says_so_in_one_line()
    {
        using var endpoint = new EnvironmentVariable(OtlpExport.Endpoint, $"http://127.0.0.1:{FreePort()}");
        AppContext.SetSwitch("Duplicati.Tool.Otlp", false);
        try
        {
            var run = await ToolRun.OkAsync(Tool.BackUpAsync());
            Assert.That(
                run.Error.Split('\n').Where(x => x.Contains("collector", StringComparison.Ordinal)),
                Is.EqualTo(new[] { $"Warning: This program was published without the exporter to the collector of {OtlpExport.Endpoint}." })
            );
        }
        finally
        {
            AppContext.SetSwitch("Duplicati.Tool.Otlp", true);
        }
    }

    // What the runtime loads is in the file that it writes of its events.
    [Test]
    public void Nothing_of_OpenTelemetry_is_loaded_unless_the_environment_names_a_collector([Values] bool isNamed)
    {
        using var folder = new TestFolder();
        var start = new ProcessStartInfo(
            ChildProcess.Host,
            [
                "exec",
                Path.Combine(AppContext.BaseDirectory, "duplicati-db.dll"),
                "generate",
                folder.File("source"),
                "--total",
                "10kb",
                "--files",
                "2",
            ]
        )
        {
            Environment =
            {
                [OtlpExport.Endpoint] = isNamed ? $"http://127.0.0.1:{FreePort()}" : null,
                ["DOTNET_EnableEventPipe"] = "1",
                ["DOTNET_EventPipeConfig"] = "Microsoft-Windows-DotNETRuntime:8:4",
                ["DOTNET_EventPipeOutputPath"] = folder.File("events.nettrace"),
            },
        };
        var run = ChildProcess.Run(start);
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        var loaded = Encoding.Unicode.GetString(File.ReadAllBytes(folder.File("events.nettrace")));
        var shifted = Encoding.Unicode.GetString(File.ReadAllBytes(folder.File("events.nettrace")).AsSpan(1));
        Assert.That(loaded + shifted, Does.Contain("System.CommandLine"), "the file tells what was loaded");
        Assert.That((loaded + shifted).Contains("OpenTelemetry", StringComparison.Ordinal), Is.EqualTo(isNamed));
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    /// <summary>Takes everything and keeps it.</summary>
    private sealed class Collector : IDisposable
    {
        private readonly ConcurrentDictionary<string, string> m_received = new(StringComparer.Ordinal);
        private readonly HttpListener m_listener = new();
        private readonly Task m_work;

        internal Collector()
        {
            Address = $"http://127.0.0.1:{FreePort()}";
            m_listener.Prefixes.Add(Address + "/");
            m_listener.Start();
            m_work = TakeAsync();
        }

        internal string Address { get; }

        /// <summary>The bodies of all requests to a path; names in them are readable.</summary>
        internal string Received(string path) => m_received.GetValueOrDefault(path, "");

        public void Dispose()
        {
            m_listener.Stop();
            m_work.GetAwaiter().GetResult();
            m_listener.Close();
        }

        private async Task TakeAsync()
        {
            try
            {
                while (true)
                {
                    var context = await m_listener.GetContextAsync();
                    using var body = new StreamReader(context.Request.InputStream, Encoding.Latin1);
                    var text = await body.ReadToEndAsync();
                    m_received.AddOrUpdate(context.Request.Url!.AbsolutePath, text, (_, before) => before + text);
                    context.Response.Close();
                }
            }
            catch (Exception ex) when (ex is HttpListenerException or ObjectDisposedException or InvalidOperationException)
            {
                // It was stopped.
            }
        }
    }
}
