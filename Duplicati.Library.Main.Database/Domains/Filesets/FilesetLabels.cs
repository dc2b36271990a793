// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Filesets;

/// <summary>Texts that users give to filesets. A schema below 20 has none, and can take none.</summary>
internal static class FilesetLabels
{
    // Walks the columns of one table.
    private const string HasColumn = """SELECT 1 FROM pragma_table_info('Fileset') WHERE "name" = 'Label'""";

    // Reads Fileset, one row a version.
    private const string All =
        """SELECT "ID", "Timestamp", "Label" FROM "Fileset" WHERE "Label" IS NOT NULL ORDER BY "Timestamp" DESC, "ID" DESC""";

    // Row id.
    private const string Update = """UPDATE "Fileset" SET "Label" = ?1 WHERE "ID" = ?2""";

    /// <summary>Whether the schema has labels.</summary>
    internal static bool AreKnown(DatabaseSession session) => session.ReadNumber(HasColumn) == 1;

    /// <summary>The labels by the ids of filesets.</summary>
    internal static Dictionary<long, string> ById(DatabaseSession session)
    {
        var labels = new Dictionary<long, string>();
        Read(session, row => labels.Add(row.Id, row.Label));
        return labels;
    }

    /// <summary>The labels by time (UTC), newest first; of several filesets of one second the last one's alone.</summary>
    internal static List<KeyValuePair<DateTime, string>> ByTime(DatabaseSession session)
    {
        var labels = new List<KeyValuePair<DateTime, string>>();
        Read(
            session,
            row =>
            {
                var time = EpochTime.FromSeconds(row.EpochSeconds);
                if (labels.Count == 0 || labels[^1].Key != time)
                    labels.Add(new(time, row.Label));
            }
        );
        return labels;
    }

    /// <summary>Sets the label of a fileset, or removes it if it is blank; an unknown id is ignored.</summary>
    /// <exception cref="InvalidOperationException">A label cannot be kept by this schema.</exception>
    internal static void Set(DatabaseSession session, long filesetId, string? label)
    {
        var text = string.IsNullOrWhiteSpace(label) ? null : label;
        if (!AreKnown(session))
        {
            if (text is not null)
                throw new InvalidOperationException("The schema of the database has no labels of versions: they begin with version 20.");
            return;
        }

        _ = session.HasToAskAgain();
        using var update = session.Take(Update);
        update.Bind(1, text).Bind(2, filesetId).ExecuteNonQuery();
    }

    /// <summary>Gives the label of a fileset, if it has one, to the one that takes its place.</summary>
    internal static void Move(DatabaseSession session, long from, long to)
    {
        if (!ById(session).TryGetValue(from, out var label))
            return;
        Set(session, to, label);
        Set(session, from, null);
    }

    private static void Read(DatabaseSession session, Action<(long Id, long EpochSeconds, string Label)> found)
    {
        if (!AreKnown(session))
            return;

        using var rows = session.Take(All);
        while (rows.Read())
            found((rows.GetInt64(0), rows.GetInt64(1), rows.GetString(2)!));
    }
}
