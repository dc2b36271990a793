// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>Questions about the registry of remote volumes.</summary>
internal static class VolumeReads
{
    // The last second of the calendar; anything above was stored in ticks by old versions.
    private const long MAX_EPOCH_SECONDS = 253402300799;

    /// <summary>The id of a volume, or -1. One index look-up.</summary>
    internal static long Id(DatabaseSession session, string name)
    {
        session.Tell(VolumeSql.Id, name);
        using var select = session.TakeDirect(VolumeSql.Id);
        return select.Bind(1, name).ExecuteInt64();
    }

    /// <summary>Name and id of those of the volumes that exist, in the order asked for.</summary>
    internal static List<KeyValuePair<string, long>> Ids(DatabaseSession session, IEnumerable<string> names)
    {
        var result = new List<KeyValuePair<string, long>>();
        using var select = session.TakeDirect(VolumeSql.Id);
        foreach (var name in names.Distinct(StringComparer.Ordinal))
        {
            session.Tell(VolumeSql.Id, name);
            var id = select.Bind(1, name).ExecuteInt64();
            if (id >= 0)
                result.Add(new KeyValuePair<string, long>(name, id));
        }

        return result;
    }

    /// <summary>The volume with a name, times in UTC, or <see cref="RemoteVolumeEntry.Empty"/>.</summary>
    internal static RemoteVolumeEntry ByName(DatabaseSession session, string name)
    {
        session.Tell(VolumeSql.ByName, name);
        using var select = session.TakeDirect(VolumeSql.ByName);
        select.Bind(1, name);
        if (!select.Read())
            return RemoteVolumeEntry.Empty;

        var result = Read(select, local: false);
        select.Reset();
        Tell(session, [result]);
        return result;
    }

    /// <summary>All volumes in every state by ascending id, times in UTC. Linear.</summary>
    internal static List<RemoteVolumeEntry> All(DatabaseSession session)
    {
        var result = new List<RemoteVolumeEntry>();
        session.Tell(VolumeSql.All);
        using (var select = session.TakeDirect(VolumeSql.All))
        {
            while (select.Read())
                result.Add(Read(select, local: false));
        }

        Tell(session, result);
        return result;
    }

    /// <summary>Names that are present although they are also marked as deleted, with the state of the present row.</summary>
    internal static List<KeyValuePair<string, RemoteVolumeState>> Duplicates(DatabaseSession session)
    {
        var result = new List<KeyValuePair<string, RemoteVolumeState>>();
        session.Tell(VolumeSql.Duplicates);
        using var select = session.TakeDirect(VolumeSql.Duplicates);
        while (select.Read())
            result.Add(new KeyValuePair<string, RemoteVolumeState>(select.GetString(0)!, ParseState(select.GetString(1))));
        return result;
    }

    /// <summary>The volume that lists a fileset, times in local time, or the default value.</summary>
    internal static RemoteVolumeEntry OfFileset(DatabaseSession session, long filesetId)
    {
        session.Tell(VolumeSql.OfFileset, filesetId);
        using var select = session.TakeDirect(VolumeSql.OfFileset);
        select.Bind(1, filesetId);
        if (!select.Read())
            return default;

        var result = Read(select, local: true);
        select.Reset();
        Tell(session, [result]);
        return result;
    }

    /// <summary>
    /// Names and lock times (UTC) of the volumes that filesets need: blocks of data and metadata, the index volumes of those, and
    /// the filesets' own lists. Linear in the entries and blocks of the filesets.
    /// </summary>
    internal static List<(string Name, DateTime? LockExpirationTime)> DependingOnFilesets(
        DatabaseSession session,
        IEnumerable<long>? filesetIds
    )
    {
        var result = new List<(string Name, DateTime? LockExpirationTime)>();
        if (filesetIds is null || !SelectFilesets(session, filesetIds))
            return result;

        VolumeTables.SelectedBlockset.Reset(session);
        VolumeTables.SelectedVolume.Reset(session);
        session.Run(VolumeDependencySql.SelectDataBlocksets);
        session.Run(VolumeDependencySql.SelectMetadataBlocksets);
        session.Run(VolumeDependencySql.SelectBlockVolumes);
        session.Run(VolumeDependencySql.SelectIndexVolumes);
        session.Run(VolumeDependencySql.SelectListVolumes);

        using var select = session.TakeDirect(VolumeDependencySql.Selected);
        while (select.Read())
            result.Add((select.GetString(0)!, ToTime(select.GetInt64(1), local: false)));
        return result;
    }

    /// <summary>A stored state.</summary>
    /// <exception cref="ArgumentException">The text is not a state.</exception>
    internal static RemoteVolumeState ParseState(string? text) => Enum.Parse<RemoteVolumeState>(text ?? "");

    private static bool SelectFilesets(DatabaseSession session, IEnumerable<long> filesetIds)
    {
        VolumeTables.SelectedFileset.Reset(session);
        var any = false;
        using var insert = session.TakeDirect(VolumeDependencySql.SelectFileset);
        foreach (var id in filesetIds)
        {
            insert.Bind(1, id).ExecuteNonQuery();
            any = true;
        }

        return any;
    }

    private static void Tell(DatabaseSession session, IEnumerable<RemoteVolumeEntry> volumes)
    {
        var states = ToldStates.Of(session);
        foreach (var volume in volumes)
            states.Tell(volume.Name, volume.State);
    }

    private static RemoteVolumeEntry Read(Statement row, bool local) =>
        new(
            row.GetInt64(0),
            row.GetString(1)!,
            row.GetString(4)!,
            row.GetInt64(3, -1),
            Enum.Parse<RemoteVolumeType>(row.GetString(2) ?? ""),
            ParseState(row.GetString(5)),
            ToTime(row.GetInt64(6), local),
            ToTime(row.GetInt64(7), local),
            ToTime(row.GetInt64(8), local)
        );

    private static DateTime ToTime(long stored, bool local)
    {
        var time =
            stored <= MAX_EPOCH_SECONDS
                ? EpochTime.FromSeconds(stored)
                : new DateTime(Math.Min(stored, DateTime.MaxValue.Ticks), DateTimeKind.Utc);
        return local ? time.ToLocalTime() : time;
    }
}
