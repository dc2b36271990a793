// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Listing;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>What would be hit by losing some volumes, given by name. Names that no volume has are ignored.</summary>
internal static class AffectedReads
{
    /// <summary>
    /// Filesets with a file whose data or metadata has a block in one of the volumes, and those listed in one of them; newest first.
    /// </summary>
    internal static List<IListResultFileset> Filesets(DatabaseSession session, IEnumerable<string>? names)
    {
        SelectVolumes(session, names);
        SelectFilesByBlocks(session);
        var ids = new HashSet<long>();
        using (var select = session.Take(AffectedSql.Filesets))
        {
            while (select.Read())
                ids.Add(select.GetInt64(0));
        }

        return FilesetListing
            .All(session)
            .FindAll(x => ids.Contains(x.Id))
            .ConvertAll(x => (IListResultFileset)new ListedVersion(x.Version, 0, x.Utc.ToLocalTime(), 0, 0, null));
    }

    /// <summary>
    /// Paths of the files whose data or metadata has a block in one of the volumes, and of all files of the filesets listed in one of them;
    /// ascending.
    /// </summary>
    internal static List<IListResultFile> Files(DatabaseSession session, IEnumerable<string>? names)
    {
        SelectVolumes(session, names);
        SelectFilesByBlocks(session);
        session.Run(AffectedSql.SelectFilesByList);
        var result = new List<IListResultFile>();
        using var select = session.Take(AffectedSql.Paths);
        while (select.Read())
            result.Add(new ListResultFile(select.GetString(0) ?? throw new InvalidOperationException("Path is null"), null));
        return result;
    }

    /// <summary>
    /// What was logged about the names, times in UTC: messages that contain one (ASCII letters without case; % and _ in a name stand for
    /// any text and any letter), and operations on one. By time, then text.
    /// </summary>
    internal static List<IListResultRemoteLog> LogLines(DatabaseSession session, IEnumerable<string>? names)
    {
        BrokenTables.AffectedName.Reset(session);
        using (var insert = session.TakeDirect(AffectedSql.SelectName))
        {
            foreach (var name in names ?? [])
                insert.Bind(1, name).ExecuteNonQuery();
        }

        var result = new List<IListResultRemoteLog>();
        using var select = session.Take(AffectedSql.LogLines);
        while (select.Read())
            result.Add(new LoggedLine(EpochTime.FromSeconds(select.GetInt64(0)), select.GetString(1) ?? ""));
        return result;
    }

    /// <summary>Names of the volumes that hold data or metadata of the filesets listed in the given volumes.</summary>
    internal static List<IListResultRemoteVolume> Volumes(DatabaseSession session, IEnumerable<string>? names)
    {
        SelectVolumes(session, names);
        VolumeTables.SelectedFileset.Reset(session);
        VolumeTables.SelectedBlockset.Reset(session);
        session.Run(AffectedSql.SelectFilesetsByList);
        session.Run(VolumeDependencySql.SelectDataBlocksets);
        session.Run(VolumeDependencySql.SelectMetadataBlocksets);

        // From here on the table is the answer, no more the question.
        VolumeTables.SelectedVolume.Reset(session);
        session.Run(VolumeDependencySql.SelectBlockVolumes);
        var result = new List<IListResultRemoteVolume>();
        using var select = session.Take(VolumeDependencySql.Selected);
        while (select.Read())
            result.Add(new NamedVolume(select.GetString(0)!));
        return result;
    }

    private static void SelectVolumes(DatabaseSession session, IEnumerable<string>? names)
    {
        VolumeTables.SelectedVolume.Reset(session);
        using var insert = session.Take(AffectedSql.SelectVolume);
        foreach (var name in names ?? [])
            insert.Bind(1, name).ExecuteNonQuery();
    }

    private static void SelectFilesByBlocks(DatabaseSession session)
    {
        VolumeTables.SelectedBlockset.Reset(session);
        BrokenTables.AffectedFile.Reset(session);
        session.Run(AffectedSql.SelectBlocksets);
        session.Run(AffectedSql.SelectFilesByData);
        session.Run(AffectedSql.SelectFilesByMetadata);
    }
}

/// <summary>A log line about a remote volume.</summary>
/// <param name="Timestamp">When it was written, in UTC.</param>
/// <param name="Message">What it says.</param>
internal sealed record LoggedLine(DateTime Timestamp, string Message) : IListResultRemoteLog;

/// <summary>A remote volume, by its name.</summary>
internal sealed record NamedVolume(string Name) : IListResultRemoteVolume;
