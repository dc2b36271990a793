// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using Duplicati.Engine.Data;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;

namespace Duplicati.Tool.Cli;

/// <summary>
/// What is written with <c>--json</c>: a type that is not named here cannot be written, in no build. The code is made by the compiler, as
/// a program that is compiled ahead has no reflection over its types.
/// </summary>
[JsonSourceGenerationOptions(UseStringEnumConverter = true, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(AffectedReport))]
[JsonSerializable(typeof(BackupReport))]
[JsonSerializable(typeof(BugReportReport))]
[JsonSerializable(typeof(ChangesReport))]
[JsonSerializable(typeof(CheckReport))]
[JsonSerializable(typeof(CompactReport))]
[JsonSerializable(typeof(CompletionScript))]
[JsonSerializable(typeof(DatabasesReport))]
[JsonSerializable(typeof(DeleteReport))]
[JsonSerializable(typeof(FailureReport))]
[JsonSerializable(typeof(FindReport))]
[JsonSerializable(typeof(FoundUse))]
[JsonSerializable(typeof(HelpText))]
[JsonSerializable(typeof(InspectReport))]
[JsonSerializable(typeof(LabelReport))]
[JsonSerializable(typeof(OverviewReport))]
[JsonSerializable(typeof(PurgeReport))]
[JsonSerializable(typeof(RecreateReport))]
[JsonSerializable(typeof(RepairReport))]
[JsonSerializable(typeof(RestoreReport))]
[JsonSerializable(typeof(SearchReport))]
[JsonSerializable(typeof(SourceOptions))]
[JsonSerializable(typeof(TestReport))]
[JsonSerializable(typeof(UpgradeReport))]
[JsonSerializable(typeof(VacuumReport))]
[JsonSerializable(typeof(VerifyReport))]
[JsonSerializable(typeof(VolumesReport))]
[JsonSerializable(typeof(IReadOnlyList<BrokenFilesReport>))]
[JsonSerializable(typeof(IReadOnlyList<DumpDifference>))]
[JsonSerializable(typeof(IReadOnlyList<FoundPath>))]
[JsonSerializable(typeof(IReadOnlyList<ListedEntry>))]
[JsonSerializable(typeof(IReadOnlyList<ListedVersion>))]
[JsonSerializable(typeof(IReadOnlyList<PathVersions>))]
[JsonSerializable(typeof(IReadOnlyList<VersionEntries>))]
internal sealed partial class ToolJson : JsonSerializerContext
{
    // Names of files are told as they are, not escaped for a web page.
    private static readonly ToolJson s_lines = new(
        new JsonSerializerOptions
        {
            PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
            Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        }
    );

    private static readonly ToolJson s_readable = new(new JsonSerializerOptions(s_lines.Options) { WriteIndented = true });

    /// <summary>A result as text.</summary>
    internal static string Of<T>(T result) => JsonSerializer.Serialize(result, typeof(T), s_readable);

    /// <summary>A part of a result on one line.</summary>
    internal static string LineOf<T>(T part) => JsonSerializer.Serialize(part, typeof(T), s_lines);
}

/// <summary>Why a command failed.</summary>
/// <param name="Error">The message.</param>
/// <param name="HelpId">Its help id.</param>
/// <param name="Command">What can be run now; null if nothing helps, or the message says what to do.</param>
internal sealed record FailureReport(string Error, string HelpId, string? Command);

/// <summary>Completion of a shell.</summary>
/// <param name="Shell">Its name.</param>
/// <param name="Script">What the shell reads.</param>
internal sealed record CompletionScript(string Shell, string Script);

/// <summary>What <c>help</c> says of a topic.</summary>
/// <param name="Topic">Its name.</param>
/// <param name="Text">What is said.</param>
internal sealed record HelpText(string? Topic, string Text);

/// <summary>The entries of one of several versions that are listed.</summary>
/// <param name="Version">Its number.</param>
/// <param name="Entries">Its entries.</param>
internal sealed record VersionEntries(long Version, IReadOnlyList<ListedEntry> Entries);
