// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Compact;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Find;

/// <summary>The rows of volumes and what is known of each.</summary>
internal static class VolumeRows
{
    /// <summary>Scans Remotevolume, one row a volume; Operation by row id.</summary>
    internal const string VOLUMES = """
        SELECT "Remotevolume"."Name", "Remotevolume"."Type", "Remotevolume"."State", NULLIF("Remotevolume"."Size", -1),
            "Operation"."Timestamp", "Operation"."Description", "Remotevolume"."VerificationCount"
        FROM "Remotevolume" LEFT JOIN "Operation" ON "Operation"."ID" = "Remotevolume"."OperationID"
        ORDER BY "Remotevolume"."Name"
        """;

    /// <summary>Scans RemoteOperation, the history of a month, once.</summary>
    internal const string READ = """
        SELECT "Path", MAX("Timestamp") FROM "RemoteOperation" WHERE "Operation" = 'get' GROUP BY "Path"
        """;

    /// <summary>The volumes that are wanted, in their order.</summary>
    /// <param name="connection">An open database.</param>
    /// <param name="request">Which, and in which order.</param>
    /// <param name="usage">What block volumes hold.</param>
    internal static List<ListedVolume> Read(SqliteConnection connection, VolumesRequest request, IReadOnlyList<VolumeUsage> usage)
    {
        var used = usage.ToDictionary(x => x.Name, StringComparer.Ordinal);
        var fetched = DumpQuery
            .Rows(connection, READ, row => KeyValuePair.Create(row.GetString(0), DumpQuery.Time(row.GetInt64(1))))
            .ToDictionary(StringComparer.Ordinal);
        var (states, types) = (Names(request.States), Names(request.Types));
        var volumes = DumpQuery
            .Rows(connection, VOLUMES, row => Volume(row, used, fetched))
            .Where(x => (states.Count == 0 || states.Contains(x.State)) && (types.Count == 0 || types.Contains(x.Type)));
        return request.Order switch
        {
            VolumeOrder.Size => [.. volumes.OrderByDescending(x => x.Size)],
            VolumeOrder.Age => [.. volumes.OrderBy(x => x.Changed)],
            VolumeOrder.Waste => [.. volumes.OrderByDescending(x => x.WastedBytes)],
            VolumeOrder.Tests => [.. volumes.OrderBy(x => x.Tests)],
            _ => [.. volumes],
        };
    }

    private static ListedVolume Volume(SqliteDataReader row, Dictionary<string, VolumeUsage> used, Dictionary<string, DateTime> fetched)
    {
        var (name, type, state) = (row.GetString(0), row.GetString(1), row.GetString(2));
        var usage = type == nameof(RemoteVolumeType.Blocks) ? used.GetValueOrDefault(name) : null;
        return new ListedVolume(
            name,
            type,
            state,
            row.NumberOrNull(3),
            row.NumberOrNull(4) is { } time ? DumpQuery.Time(time) : null,
            row.TextOrNull(5),
            usage?.DataSize - usage?.WastedSize,
            usage?.WastedSize,
            row.GetInt64(6),
            fetched.TryGetValue(name, out var last) ? last : null,
            Why(type, state)
        );
    }

    /// <summary>Whether a volume is the list of a version that a backup has begun: only a backup can go on with that.</summary>
    internal static bool IsBegunList(string type, string state) =>
        type == nameof(RemoteVolumeType.Files) && state == nameof(RemoteVolumeState.Temporary);

    private static string? Why(string type, string state) =>
        state switch
        {
            _ when IsBegunList(type, state) =>
                "The list of a version that a backup has begun and not ended; the next backup uploads it, as a partial version.",
            nameof(RemoteVolumeState.Temporary) => "An operation was making it, and its upload has not begun.",
            nameof(RemoteVolumeState.Uploading) =>
                "An operation was uploading it, and did not record the end: it may be in the remote folder whole, in part, or not at all.",
            nameof(RemoteVolumeState.Deleting) => "An operation has given it up, and did not record that it is gone.",
            _ => null,
        };

    private static HashSet<string> Names<T>(IEnumerable<T> values)
        where T : struct, Enum => values.Select(x => x.ToString()).ToHashSet(StringComparer.Ordinal);
}
