// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Records;

/// <summary>
/// Leaves of the texts in a copy of a database only those that say nothing: digests, known words, numbers, and what in the name of a
/// volume follows its
/// prefix. Paths and metadata are left to <see cref="Obfuscation"/>. Not part of the layer that is replaced, whose bug report keeps more.
/// </summary>
internal static partial class Scrubbing
{
    private const string Erased = "ERASED!";

    private static readonly string[] s_statements =
    [
        ScrubSql.EraseDescriptions,
        ScrubSql.EraseVolumeTypes,
        ScrubSql.EraseVolumeStates,
        ScrubSql.EraseVolumeHashes,
        ScrubSql.EraseBlockHashes,
        ScrubSql.EraseDeletedBlockHashes,
        ScrubSql.EraseBlocksetHashes,
        ScrubSql.EraseBlocklistHashes,
        ScrubSql.EraseRemoteData,
        ScrubSql.EraseRemoteOperations,
        ScrubSql.EraseMessages,
        ScrubSql.EraseSettings,
        ScrubSql.EraseSettingNames,
        ScrubSql.EraseJournals,
    ];

    /// <summary>Erases everything else. Does not commit; the file still holds it until it has been written anew.</summary>
    internal static void Run(DatabaseSession session)
    {
        foreach (var statement in s_statements)
            session.Run(statement);
        Rename(session, ScrubSql.VolumeNames, ScrubSql.SetVolumeName);
        Rename(session, ScrubSql.RemotePaths, ScrubSql.SetRemotePath);
        var drops = new List<string>();
        using (var unknown = session.Take(ScrubSql.Unknown))
        {
            while (unknown.Read())
                drops.Add(unknown.GetString(0)!);
        }

        foreach (var drop in drops)
            session.Execute(drop);
    }

    private static void Rename(DatabaseSession session, string select, string update)
    {
        var names = new List<(long Id, string Name)>();
        using (var rows = session.Take(select))
        {
            while (rows.Read())
                names.Add((rows.GetInt64(0), rows.GetString(1) ?? ""));
        }

        using var set = session.Take(update);
        foreach (var (id, name) in names)
            set.Bind(1, id).Bind(2, WithoutPrefix(id, name)).ExecuteNonQuery();
    }

    private static string WithoutPrefix(long id, string name) =>
        VolumeName().Match(name) is { Success: true } known
            ? "duplicati-" + known.Groups[1].Value
            : Erased + id.ToString(CultureInfo.InvariantCulture);

    [GeneratedRegex(
        "-((?:[bi][0-9a-f]{32}\\.d(?:block|index)|[0-9]{8}T[0-9]{6}Z\\.dlist)(?:\\.(?:zip|7z|tgz|tzstd))?(?:\\.(?:aes|gpg))?)\\z"
    )]
    private static partial Regex VolumeName();
}
