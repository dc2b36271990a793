// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text.Json;
using Duplicati.Engine.Configuration;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Golden;

/// <summary>A command that the real program was run with on a golden set, and how it ended.</summary>
internal sealed class GoldenCommand
{
    private readonly JsonElement m_command;

    private GoldenCommand(JsonElement command) => m_command = command;

    /// <summary>The exit code the real program ended with.</summary>
    public int ExitCode => m_command.GetProperty("exitCode").GetInt32();

    /// <summary>What was given to the operation besides the remote folder, without options.</summary>
    public string[] Arguments => Strings(m_command, "arguments");

    /// <summary>A command of a set; null where the set has no such command.</summary>
    public static GoldenCommand? Find(string set, string name) =>
        GoldenFacts.Of(set).Command(name) is { } command ? new GoldenCommand(command) : null;

    /// <summary>The help id the program ended with, or null.</summary>
    public static string? HelpId(string set, string name) =>
        Find(set, name)!.m_command.TryGetProperty("helpId", out var id) ? id.GetString() : null;

    /// <summary>What the program listed.</summary>
    /// <typeparam name="T">One of the types beside <see cref="GoldenFacts"/>, as fits the command, or an array of it.</typeparam>
    public static T Facts<T>(string set, string name) =>
        Find(set, name)!.m_command.GetProperty("facts").Deserialize<T>(JsonSerializerOptions.Web)!;

    /// <summary>Whether the program listed something that has this.</summary>
    /// <param name="property">Such as "paths".</param>
    public bool Listed(string property) =>
        m_command.TryGetProperty("facts", out var facts)
        && facts.ValueKind == JsonValueKind.Object
        && facts.TryGetProperty(property, out _);

    /// <summary>The values of an option, such as "--include".</summary>
    public string[] Option(string name) => m_command.TryGetProperty("options", out var options) ? Strings(options, name) : [];

    /// <summary>The engine's options for the same command.</summary>
    public EngineOptions ToOptions(string remote, string database) =>
        new()
        {
            Remote = remote,
            DatabasePath = database,
            Passphrase = Option("--passphrase").SingleOrDefault(),
            VolumeSize = Sizer.ParseSize(Option("--dblock-size").Single(), "b"),
            StoreMetadataContent = IsOn("--store-metadata-content-in-database"),
            NoAutoCompact = IsOn("--no-auto-compact"),
            DisableSyntheticFilelist = IsOn("--disable-synthetic-filelist"),
            CompactThreshold = Number("--threshold", 25),
            SmallFileMaxCount = Number("--small-file-max-count", 20),
        };

    private bool IsOn(string name) => Option(name) is ["true"];

    private long Number(string name, long otherwise) =>
        Option(name) is [var value] ? long.Parse(value, CultureInfo.InvariantCulture) : otherwise;

    private static string[] Strings(JsonElement element, string name) =>
        element.TryGetProperty(name, out var list) ? [.. list.EnumerateArray().Select(x => x.GetString()!)] : [];
}
