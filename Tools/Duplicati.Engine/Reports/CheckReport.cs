// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Serialization;

namespace Duplicati.Engine.Reports;

/// <summary>What a check found.</summary>
/// <param name="Verdict">All of it in one sentence.</param>
/// <param name="Volumes">Remote volumes looked at; 0 without a remote folder.</param>
/// <param name="Findings">Everything that is not as it should be, each once, the worst first; empty when all is well.</param>
public sealed record CheckReport(string Verdict, int Volumes, IReadOnlyList<CheckFinding> Findings)
{
    /// <summary>Whether anything has to be mended.</summary>
    public bool HasProblems => Findings.Any(x => x.Severity == FindingSeverity.Problem);
}

/// <summary>One thing that is not as it should be.</summary>
/// <param name="Kind">Its kind, for programs, such as <c>MissingBlockVolume</c>.</param>
/// <param name="Severity">Whether it has to be mended.</param>
/// <param name="What">What is wrong.</param>
/// <param name="Where">The file, or the volume.</param>
/// <param name="Meaning">What it means for the user's files.</param>
/// <param name="Mend">What to do.</param>
/// <param name="Command">The command that does it, as it is typed; null if it is not a command of this tool.</param>
public sealed record CheckFinding(
    string Kind,
    FindingSeverity Severity,
    string What,
    string Where,
    string Meaning,
    string Mend,
    string? Command
)
{
    /// <summary>Of a damaged table of which only the database has something: what can be read of it. Absent of all else.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public OwnTableRows? OnlyHere { get; init; }
}

/// <summary>How bad a finding is.</summary>
public enum FindingSeverity
{
    /// <summary>Something can be restored no longer, or not as it should be, or would be at risk.</summary>
    Problem,

    /// <summary>Nothing is at risk; things are slower or larger than they need be, or an operation has not ended.</summary>
    Hint,
}

/// <summary>How closely volumes are looked at.</summary>
public enum CheckDepth
{
    /// <summary>Names and sizes.</summary>
    Names,

    /// <summary>Each is fetched, and its hash compared.</summary>
    Hashes,

    /// <summary>Everything in each is read.</summary>
    Contents,
}

/// <summary>What a verification found.</summary>
/// <param name="Volumes">Volumes checked.</param>
/// <param name="Problems">Every problem, one text each; empty when all is well.</param>
public sealed record VerifyReport(int Volumes, IReadOnlyList<string> Problems);
