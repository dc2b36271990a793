// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>The local databases that were found.</summary>
/// <param name="Folder">The data folder.</param>
/// <param name="Databases">They, by path.</param>
/// <param name="Problems">What could not be read of what names databases.</param>
public sealed record DatabasesReport(string Folder, IReadOnlyList<FoundDatabase> Databases, IReadOnlyList<string> Problems);

/// <summary>A local database.</summary>
/// <param name="Path">Where it is.</param>
/// <param name="Kind">What it is.</param>
/// <param name="Name">The name of the backup; null if nothing tells it.</param>
/// <param name="Remote">The remote folder without users, passwords and options; null if nothing tells it, or only encrypted.</param>
/// <param name="KnownBy">What names it.</param>
/// <param name="Size">Bytes, with its log; 0 if it is not there.</param>
/// <param name="Schema">The version of its schema; null if it has none.</param>
/// <param name="Versions">How many versions of the backup it has.</param>
/// <param name="LastVersion">When the last one was made (UTC).</param>
/// <param name="State">What is unfinished in it; empty if nothing.</param>
/// <param name="Problem">Why it cannot be used; null if it can.</param>
public sealed record FoundDatabase(
    string Path,
    DatabaseKind Kind,
    string? Name,
    string? Remote,
    IReadOnlyList<DatabaseSource> KnownBy,
    long Size,
    long? Schema,
    long? Versions,
    DateTime? LastVersion,
    IReadOnlyList<string> State,
    string? Problem
);

/// <summary>What a file is.</summary>
public enum DatabaseKind
{
    /// <summary>Not there, or not to be read.</summary>
    Unknown,

    /// <summary>The database of a backup.</summary>
    Backup,

    /// <summary>The settings of the server.</summary>
    Server,

    /// <summary>What a synchronization of remote folders knows.</summary>
    Sync,
}

/// <summary>What names a database.</summary>
public enum DatabaseSource
{
    /// <summary>The server's database.</summary>
    Server,

    /// <summary>The file dbconfig.json of the command line.</summary>
    CommandLine,

    /// <summary>It lies in the folder.</summary>
    Folder,
}
