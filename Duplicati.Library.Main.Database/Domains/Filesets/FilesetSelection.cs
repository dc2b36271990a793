// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Filesets;

/// <summary>
/// Chooses filesets by time and by version number (0 = newest). A fileset is chosen if it matches the time, if there is one, or if
/// it has one of the numbers; without any criterion all are chosen. Numbers that do not exist are skipped with a warning.
/// </summary>
internal static class FilesetSelection
{
    // Pieces of a condition on a table with the columns Timestamp and ID; no statements by themselves.

    // Fileset has one row a version and no index on the time.
    private const string AtTime = """
        "Timestamp" = @Timestamp
        """;

    // Fileset has one row a version and no index on the time.
    private const string UntilTime = """
        "Timestamp" <= @Timestamp
        """;

    // Row id.
    private const string WithId = """
        "ID" IN
        """;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalDatabase>();

    /// <summary>Ids of the matching filesets, newest first; possibly none.</summary>
    /// <param name="session">The session.</param>
    /// <param name="time">A time of known kind, or ticks 0 for none.</param>
    /// <param name="versions">Version numbers, or null.</param>
    /// <param name="singleTimeMatch">The second must be equal; otherwise earlier ones match too.</param>
    /// <exception cref="Exception">The kind of the time is unspecified.</exception>
    internal static List<long> Matching(DatabaseSession session, DateTime time, long[]? versions, bool singleTimeMatch)
    {
        ThrowIfUnspecified(time);
        return Matching(FilesetReads.Times(session), time, versions, singleTimeMatch);
    }

    /// <summary>As <see cref="Matching(DatabaseSession, DateTime, long[], bool)"/>, but if none match then all, with a warning.</summary>
    /// <exception cref="UserInformationException">Help id NoBackupAtDate: there is no fileset at all.</exception>
    internal static List<long> MatchingOrAll(DatabaseSession session, DateTime time, long[]? versions, bool singleTimeMatch)
    {
        ThrowIfUnspecified(time);
        var all = FilesetReads.Times(session);
        var result = Matching(all, time, versions, singleTimeMatch);
        if (result.Count > 0)
            return result;

        if (all.Count == 0)
            throw new UserInformationException("No backup at the specified date", "NoBackupAtDate");
        Log.WriteWarningMessage(
            LOGTAG,
            "RestoreTimeNoMatch",
            null,
            "No backup matches the time or version, using all {0} backups, newest first",
            all.Count
        );
        return all.ConvertAll(fileset => fileset.Id);
    }

    /// <summary>The same choice as text for a query over a table with the columns Timestamp and ID, and its parameters.</summary>
    internal static (string Query, Dictionary<string, object?> Values) WhereClause(
        IReadOnlyList<long> newestFirst,
        DateTime time,
        long[]? versions,
        bool singleTimeMatch
    )
    {
        var criteria = new List<string>();
        var values = new Dictionary<string, object?>(StringComparer.Ordinal);
        if (time.Ticks > 0)
        {
            ThrowIfUnspecified(time);
            criteria.Add(singleTimeMatch ? AtTime : UntilTime);
            values.Add("@Timestamp", Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(time));
        }

        var names = new List<string>();
        foreach (var version in Existing(versions, newestFirst.Count))
        {
            names.Add($"@Fileset{version}");
            values.Add($"@Fileset{version}", newestFirst[(int)version]);
        }

        if (names.Count > 0)
            criteria.Add($"{WithId} ({string.Join(", ", names)})");
        return (criteria.Count == 0 ? "" : " WHERE " + string.Join(" OR ", criteria), values);
    }

    private static List<long> Matching(List<FilesetTime> newestFirst, DateTime time, long[]? versions, bool singleTimeMatch)
    {
        var wanted = Existing(versions, newestFirst.Count);
        var seconds = time.Ticks > 0 ? Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(time) : (long?)null;
        var unrestricted = wanted.Count == 0 && seconds is null;
        var result = new List<long>();
        for (var version = 0; version < newestFirst.Count; version++)
        {
            var fileset = newestFirst[version];
            var inTime = singleTimeMatch ? fileset.EpochSeconds == seconds : fileset.EpochSeconds <= seconds;
            if (unrestricted || inTime || wanted.Contains(version))
                result.Add(fileset.Id);
        }

        return result;
    }

    private static HashSet<long> Existing(long[]? versions, int count)
    {
        var result = new HashSet<long>();
        foreach (var version in versions ?? [])
        {
            if (version >= 0 && version < count)
                result.Add(version);
            else
                Log.WriteWarningMessage(
                    LOGTAG,
                    "SkipInvalidVersion",
                    null,
                    "Skipping version {0}, there are versions 0 to {1}",
                    version,
                    count - 1
                );
        }

        return result;
    }

    /// <summary>A time of no ticks means none, whatever its kind.</summary>
    internal static DateTime OfKnownKind(DateTime time) => time.Ticks == 0 ? DateTime.SpecifyKind(time, DateTimeKind.Utc) : time;

    private static void ThrowIfUnspecified(DateTime time)
    {
        if (time.Kind == DateTimeKind.Unspecified)
            throw new Exception("Invalid DateTime given, must be either local or UTC");
    }
}
