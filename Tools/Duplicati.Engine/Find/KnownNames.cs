// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Find;

/// <summary>Names of volumes and numbers of versions by their ids; read once, as both tables are small.</summary>
internal sealed class KnownNames
{
    /// <summary>Scans Remotevolume, one row a volume.</summary>
    internal const string VOLUMES = """SELECT "ID", "Name", "State" FROM "Remotevolume" """;

    /// <summary>Scans Fileset, one row a version, the newest first.</summary>
    internal const string VERSIONS = """SELECT "ID", "VolumeID", "Timestamp" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC""";

    /// <summary>FilesetentryFileIdIndex.</summary>
    internal const string VERSIONS_OF_FILE = """SELECT "FilesetID" FROM "FilesetEntry" WHERE "FileID" = $file""";

    private readonly SqliteConnection m_connection;
    private readonly Dictionary<long, (string Name, string State)> m_volumes;
    private readonly Dictionary<long, long> m_numbers;

    // Blocks of one file come one after the other.
    private (long File, string Text)? m_last;

    internal KnownNames(SqliteConnection connection)
    {
        m_connection = connection;
        m_volumes = DumpQuery
            .Rows(connection, VOLUMES, row => KeyValuePair.Create(row.GetInt64(0), (row.GetString(1), row.GetString(2))))
            .ToDictionary();
        Versions =
        [
            .. DumpQuery.Rows(
                connection,
                VERSIONS,
                row => new KnownVersion(row.GetInt64(0), row.GetInt64(1), DumpQuery.Time(row.GetInt64(2)))
            ),
        ];
        m_numbers = Versions.Select((x, number) => KeyValuePair.Create(x.Id, (long)number)).ToDictionary();
    }

    /// <summary>The versions by their numbers.</summary>
    internal IReadOnlyList<KnownVersion> Versions { get; }

    /// <summary>The name of a volume; null if there is none.</summary>
    internal string? Volume(long id) => m_volumes.TryGetValue(id, out var volume) ? volume.Name : null;

    /// <summary>The state of a volume; null if there is none.</summary>
    internal string? State(long id) => m_volumes.TryGetValue(id, out var volume) ? volume.State : null;

    /// <summary>The versions that have a file, such as <c>0,2-4</c>.</summary>
    internal string VersionsOf(long file)
    {
        if (m_last is { } last && last.File == file)
            return last.Text;
        var versions = DumpQuery
            .Rows(m_connection, VERSIONS_OF_FILE, row => m_numbers.GetValueOrDefault(row.GetInt64(0), -1), ("$file", file))
            .Where(x => x >= 0)
            .Order()
            .ToList();
        m_last = (file, VersionRanges.Text(versions));
        return m_last.Value.Text;
    }
}

/// <summary>A version.</summary>
/// <param name="Id">Its row.</param>
/// <param name="VolumeId">The row of its file list.</param>
/// <param name="Time">When it was made (UTC).</param>
internal sealed record KnownVersion(long Id, long VolumeId, DateTime Time);
