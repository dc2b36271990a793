// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.VolumeTest;

/// <summary>
/// Versions of which the database knows no entry although nobody knows that they had none: what a recreate makes of a damaged file list.
/// A version is known to be empty if its list can be read to its end and has no entry.
/// </summary>
internal sealed class EmptyVersions(LocalDatabase database, VolumeDownloader downloader, VolumeFormat format)
{
    /// <summary>
    /// Versions without entries, but not one that is being made; with how many are of their times, and their numbers. One row a version in
    /// Fileset, and all of them for each one that is found; part of the key of FilesetEntry; Remotevolume by id.
    /// </summary>
    private const string WITHOUT_ENTRIES = """
        SELECT
            "f"."ID",
            "f"."Timestamp",
            COALESCE("v"."Name", ''),
            (SELECT COUNT(*) FROM "Fileset" "o" WHERE "o"."Timestamp" = "f"."Timestamp"),
            (SELECT COUNT(*) FROM "Fileset" "o" WHERE ("o"."Timestamp", "o"."ID") > ("f"."Timestamp", "f"."ID"))
        FROM "Fileset" "f"
        LEFT JOIN "Remotevolume" "v" ON "v"."ID" = "f"."VolumeID"
        WHERE ("v"."ID" IS NULL OR "v"."State" IN ('Uploaded', 'Verified')) AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" "e" WHERE "e"."FilesetID" = "f"."ID")
        ORDER BY "f"."Timestamp"
        """;

    /// <summary>File lists of no version. One row a volume in Remotevolume and one a version in Fileset.</summary>
    private const string LISTS_WITHOUT_VERSION = """
        SELECT "v"."Name"
        FROM "Remotevolume" "v"
        WHERE "v"."Type" = 'Files' AND "v"."State" IN ('Uploaded', 'Verified') AND "v"."ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        ORDER BY "v"."Name"
        """;

    /// <summary>
    /// Whether the version of a file list has entries. RemotevolumeNameOnly; one row a version in Fileset; part of the key of FilesetEntry.
    /// </summary>
    private const string HAS_ENTRIES = """
        SELECT EXISTS (
            SELECT 1
            FROM "Remotevolume" "v"
            CROSS JOIN "Fileset" "f" ON "f"."VolumeID" = "v"."ID"
            CROSS JOIN "FilesetEntry" "e" ON "e"."FilesetID" = "f"."ID"
            WHERE "v"."Name" = @name)
        """;

    /// <summary>A version of which nothing is known, or a file list of which no version is.</summary>
    /// <param name="FilesetId">Its row; 0 for a list without a version.</param>
    /// <param name="Volume">Its file list; empty if the database has lost that as well.</param>
    /// <param name="What">What is wrong.</param>
    /// <param name="Remedy">Advice.</param>
    internal sealed record Finding(long FilesetId, string Volume, string What, string Remedy)
    {
        /// <summary>What is wrong, with advice.</summary>
        internal string Problem => $"{What} {Remedy}";

        /// <summary>Whether the list is one of another backup.</summary>
        internal bool IsOfOther { get; init; }

        /// <summary>Whether its list is not there, or cannot be read.</summary>
        internal bool IsLost { get; init; }

        /// <summary>Why its list cannot be fetched, where it is there; it may name files.</summary>
        internal RemoteFileUnreadableException? Unread { get; init; }
    }

    /// <summary>Whether the version of a file list has at least one entry.</summary>
    internal static bool HasEntries(LocalDatabase database, string volume) =>
        DumpQuery.Number(database.Connection, HAS_ENTRIES, ("@name", volume)) != 0;

    /// <summary>Names of file lists of which the database knows no version.</summary>
    internal static List<string> ListsWithoutVersion(LocalDatabase database) =>
        [.. DumpQuery.Rows(database.Connection, LISTS_WITHOUT_VERSION, x => x.GetString(0))];

    /// <summary>
    /// Finds them; reads the file lists of versions without entries, of which there are few. The passphrase opens others.
    /// </summary>
    internal async Task<IReadOnlyList<Finding>> FindAsync(CancellationToken token)
    {
        var findings = new List<Finding>();
        var versions = DumpQuery.Rows(
            database.Connection,
            WITHOUT_ENTRIES,
            x => (x.GetInt64(0), DumpQuery.Time(x.GetInt64(1)), x.GetString(2), x.GetInt64(3) > 1 ? x.GetInt64(4) : (long?)null)
        );
        foreach (var (id, time, name, number) in versions.ToList())
        {
            try
            {
                if (await EntriesAsync(name, token).ConfigureAwait(false) is var entries && entries != 0)
                    findings.Add(
                        new Finding(
                            id,
                            name,
                            $"The version of {time:u} has no entries, and no file list says that it had none.",
                            entries > 0
                                ? VolumeAdvice.Recreate(database)
                                : Advice.EmptyVersion(name.Length > 0 ? name : "its file list", time, number)
                        )
                        {
                            IsLost = entries < 0,
                        }
                    );
            }
            catch (InvalidManifestException ex) when (ex.IsOfOther)
            {
                findings.Add(new Finding(id, name, ex.What(), ex.Remedy) { IsOfOther = true });
            }
            catch (RemoteFileUnreadableException ex)
            {
                findings.Add(new Finding(id, name, ex.What, RemoteFileUnreadableException.REMEDY) { Unread = ex });
            }
        }

        findings.AddRange(
            ListsWithoutVersion(database)
                .Select(x => new Finding(0, x, $"{x} is a file list of which the database knows no version.", Advice.DifferentFolder()))
        );
        return findings;
    }

    /// <summary>
    /// Leaves the volumes, of those that are gone or damaged, with blocks that a version needs. Nothing is lost with the others: they hold
    /// what an interrupted backup had uploaded before anything referred to it. All blocks count as needed where the entries of a version
    /// are not known.
    /// </summary>
    internal async Task<List<RemoteVolumeEntry>> NeededAsync(IEnumerable<RemoteVolumeEntry> lost, CancellationToken token)
    {
        var volumes = new NeededVolumes(database, isInterrupted: false);
        var needed = lost.Where(volumes.HoldsBlocks).ToList();
        if (needed.Count > 0 && await KnowsAllAsync(token).ConfigureAwait(false))
            needed.RemoveAll(x => !volumes.HoldsNeeded(x));
        return needed;
    }

    /// <summary>Books blocks that no version needs as deleted, as any deletion of a version does. Does not commit.</summary>
    /// <returns>False if that cannot be told.</returns>
    internal async Task<bool> TryDropUnneededAsync(CancellationToken token)
    {
        if (!await KnowsAllAsync(token).ConfigureAwait(false))
            return false;
        await UnusedRows.DropAsync(database, token).ConfigureAwait(false);
        return true;
    }

    private async Task<bool> KnowsAllAsync(CancellationToken token) => (await FindAsync(token).ConfigureAwait(false)).Count == 0;

    // Those that a list names; -1 if it is not there, or cannot be read to its end.
    private async Task<long> EntriesAsync(string name, CancellationToken token)
    {
        if (name.Length == 0)
            return -1;
        try
        {
            using var download = await downloader.FetchAsync(name, token).ConfigureAwait(false);
            using var list = FilelistReader.Open(download.Content, name);
            list.Manifest.Require(name, format);
            return list.ReadEntries().LongCount() is > 0 and var entries ? entries
                : list.SkippedEntries == 0 ? 0
                : -1;
        }
        catch (Exception ex)
            when (ex
                    is VolumeException
                        and not InvalidManifestException { IsOfOther: true }
                        or RemoteFileMissingException
                        or InvalidRemoteNameException
            )
        {
            return -1;
        }
    }
}
