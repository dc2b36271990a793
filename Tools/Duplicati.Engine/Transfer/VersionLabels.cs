// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>The texts that users give to versions; a database has them from schema 20 on.</summary>
internal static class VersionLabels
{
    // A list that is made anew has a later time, and so has its version.
    private static readonly TimeSpan s_mostLater = TimeSpan.FromSeconds(15);

    /// <summary>Refuses a database that has none.</summary>
    /// <exception cref="UserInformationException">Help id <c>SchemaHasNoLabels</c>.</exception>
    internal static async Task RequireAsync(LocalDatabase database, string path, CancellationToken token)
    {
        if (!await AreKnownAsync(database, token).ConfigureAwait(false))
            throw new UserInformationException(
                $"The schema of the database {path} has no labels of versions. If the Duplicati that uses it knows version 20, run `duplicati-db upgrade {path} --to 20`.",
                "SchemaHasNoLabels"
            );
    }

    /// <summary>Gives the labels of a list volume to the versions that are there. Does not commit.</summary>
    internal static async Task ApplyAsync(
        LocalDatabase database,
        IReadOnlyDictionary<DateTime, string> labels,
        IEngineProgress progress,
        CancellationToken token
    )
    {
        if (labels.Count == 0)
            return;
        if (!await AreKnownAsync(database, token).ConfigureAwait(false))
        {
            progress.Message(
                $"Left out: {SizeText.Count(labels.Count, "label of a version", "labels of versions")}; the schema of the database has none; --schema 20 keeps them"
            );
            return;
        }

        var versions = await database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        foreach (var (time, label) in labels.OrderBy(x => x.Key))
        {
            var near = versions
                .Select(x => (x.Key, Later: x.Value.ToUniversalTime() - time))
                .Where(x => x.Later >= TimeSpan.Zero && x.Later <= s_mostLater)
                .ToList();
            if (near.Count == 0)
                progress.Warning($"There is no version of {time:u} for the label \"{label}\"");
            else
                await database.UpdateFilesetLabelAsync(near.MinBy(x => x.Later).Key, label, token).ConfigureAwait(false);
        }
    }

    /// <summary>True if the schema of a database has labels.</summary>
    internal static Task<bool> AreKnownAsync(LocalDatabase database, CancellationToken token) =>
        database.Session.ShortAsync(FilesetLabels.AreKnown, token);
}
