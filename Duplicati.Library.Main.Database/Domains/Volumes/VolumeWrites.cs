// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>Changes to single rows of the registry of remote volumes. Nothing here commits.</summary>
internal static class VolumeWrites
{
    // Index RemotevolumeNameOnly.
    internal const string Id = """SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Index RemotevolumeNameOnly.
    internal const string StateSql = """SELECT "State" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Appends by row id.
    private const string Insert = """
        INSERT INTO "Remotevolume" ("ID", "OperationID", "Name", "Type", "State", "Size", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
        VALUES (?7, ?1, ?2, ?3, ?4, ?5, 0, ?6, 0, 0)
        """;

    // Index RemotevolumeNameOnly.
    private const string UpdateSql =
        """UPDATE "Remotevolume" SET "OperationID" = ?1, "State" = ?2, "Hash" = ?3, "Size" = ?4 WHERE "Name" = ?5""";

    // Index RemotevolumeNameOnly.
    private const string SetDeleteGraceTime = """UPDATE "Remotevolume" SET "DeleteGraceTime" = ?1 WHERE "Name" = ?2""";

    // Index RemotevolumeNameOnly.
    private const string SetArchiveTime = """UPDATE "Remotevolume" SET "ArchiveTime" = ?1 WHERE "Name" = ?2""";

    // Index RemotevolumeName.
    private const string UnlinkSql = """DELETE FROM "Remotevolume" WHERE "Name" = ?1 AND "State" = ?2""";

    // Index RemotevolumeNameOnly.
    private const string RenameSql = """UPDATE "Remotevolume" SET "Name" = ?2 WHERE "Name" = ?1""";

    // Appends by row id.
    private const string InsertIndexBlockLink = """INSERT INTO "IndexBlockLink" ("IndexVolumeID", "BlockVolumeID") VALUES (?1, ?2)""";

    // Reads the whole table, one row a volume; old versions stored ticks, which have more than 12 digits.
    private const string PurgeDeletedSql =
        """DELETE FROM "Remotevolume" WHERE "State" = 'Deleted' AND ("DeleteGraceTime" < ?1 OR length("DeleteGraceTime") > 12)""";

    /// <summary>Adds a volume and returns its id. A positive grace time counts from now.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Code 19: the name is taken.</exception>
    internal static long Register(
        DatabaseSession session,
        long operationId,
        string name,
        RemoteVolumeType type,
        RemoteVolumeState state,
        long size,
        TimeSpan deleteGraceTime
    )
    {
        _ = session.HasToAskAgain();
        var ids = VolumeIds.Of(session);
        var id = ids.Next();
        using var insert = session.Take(Insert);
        insert
            .Bind(1, operationId)
            .Bind(2, name)
            .Bind(3, type.ToString())
            .Bind(4, state.ToString())
            .Bind(5, size)
            .Bind(6, GraceTime(deleteGraceTime))
            .Bind(7, id);
        insert.ExecuteNonQuery();
        ids.Given(id);
        ToldStates.Of(session).Register(name, id, state);
        return id;
    }

    /// <summary>
    /// Sets state, size and hash of a volume, and its times where asked to; removes what depends on a deleted volume unless told otherwise.
    /// </summary>
    /// <exception cref="Exception">There is not exactly one volume with the name.</exception>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Code 5, extended 517: it is not in the state that the caller was
    /// told.</exception>
    internal static void Update(DatabaseSession session, long operationId, VolumeUpdate update, CancellationToken token)
    {
        _ = session.HasToAskAgain(token);
        var states = ToldStates.Of(session);
        states.ThrowIfChanged(update.Name);
        using (var set = session.Take(UpdateSql))
        {
            set.Bind(1, operationId).Bind(2, update.State.ToString()).Bind(3, update.Hash).Bind(4, update.Size).Bind(5, update.Name);
            ThrowUnlessOne(set.ExecuteNonQuery(), update.Name);
        }

        states.Set(update.Name, update.State);
        if (update.DeleteGraceTime.Ticks > 0)
            SetTime(session, SetDeleteGraceTime, update.Name, GraceTime(update.DeleteGraceTime));
        if (update.SetArchived is { } archived)
            SetTime(
                session,
                SetArchiveTime,
                update.Name,
                archived ? Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(DateTime.UtcNow) : 0
            );
        if (update.RemovesContents)
            VolumeRemoval.Remove(session, [update.Name], token);
    }

    /// <summary>Deletes the row with a name and a state, and nothing else.</summary>
    /// <exception cref="Exception">There is not exactly one such row.</exception>
    internal static void Unlink(DatabaseSession session, string name, RemoteVolumeState state)
    {
        using var delete = session.Take(UnlinkSql);
        ThrowUnlessOne(delete.Bind(1, name).Bind(2, state.ToString()).ExecuteNonQuery(), name);
        ToldStates.Of(session).Remove([name]);
    }

    /// <summary>Renames a volume in place and registers the old name again as one to be deleted.</summary>
    /// <returns>The id of the row for the old name, and the volume's type.</returns>
    /// <exception cref="Exception">There is not exactly one volume with the old name.</exception>
    internal static (long PlaceholderId, RemoteVolumeType Type) Rename(
        DatabaseSession session,
        long operationId,
        string oldname,
        string newname
    )
    {
        session.BeginWriting();
        var type = VolumeReads.ByName(session, oldname).Type;
        using (var rename = session.Take(RenameSql))
            ThrowUnlessOne(rename.Bind(1, oldname).Bind(2, newname).ExecuteNonQuery(), oldname);
        ToldStates.Of(session).Rename(oldname, newname);
        return (Register(session, operationId, oldname, type, RemoteVolumeState.Deleting, -1, TimeSpan.Zero), type);
    }

    /// <summary>Records that an index volume describes a block volume. Does not prevent duplicates.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An id is not positive.</exception>
    internal static void AddIndexBlockLink(DatabaseSession session, long indexVolumeID, long blockVolumeID)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(indexVolumeID);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(blockVolumeID);
        _ = session.HasToAskAgain();
        using var insert = session.Take(InsertIndexBlockLink);
        insert.Bind(1, indexVolumeID).Bind(2, blockVolumeID).ExecuteNonQuery();
    }

    /// <summary>Deletes the rows of deleted volumes whose grace time ended before a time, and those with a time in the old unit.</summary>
    internal static void PurgeDeleted(DatabaseSession session, DateTime threshold)
    {
        using var delete = session.Take(PurgeDeletedSql);
        delete.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(threshold)).ExecuteNonQuery();
    }

    private static void SetTime(DatabaseSession session, string sql, string name, long epochSeconds)
    {
        using var set = session.Take(sql);
        ThrowUnlessOne(set.Bind(1, epochSeconds).Bind(2, name).ExecuteNonQuery(), name);
    }

    private static long GraceTime(TimeSpan fromNow) =>
        fromNow.Ticks <= 0 ? 0 : Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(DateTime.UtcNow + fromNow);

    private static void ThrowUnlessOne(int rows, string name)
    {
        if (rows != 1)
            throw new Exception($"Expected one remote volume named {name}, changed {rows} rows.");
    }
}

/// <summary>What is to become of a remote volume.</summary>
/// <param name="Name">Its name.</param>
/// <param name="State">The new state.</param>
/// <param name="Size">The size in bytes; -1 if unknown.</param>
/// <param name="Hash">The Base64 hash of the remote file, or null.</param>
/// <param name="SuppressCleanup">Keep what depends on the volume even if it is deleted.</param>
/// <param name="DeleteGraceTime">How long from now a deleted row is kept; zero leaves the time alone.</param>
/// <param name="SetArchived">Set or clear the archive time; null leaves it alone.</param>
internal readonly record struct VolumeUpdate(
    string Name,
    RemoteVolumeState State,
    long Size,
    string? Hash,
    bool SuppressCleanup,
    TimeSpan DeleteGraceTime,
    bool? SetArchived
)
{
    /// <summary>True if everything that depends on the volume goes with it.</summary>
    internal bool RemovesContents => State == RemoteVolumeState.Deleted && !SuppressCleanup;
}
