// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Compact;

/// <summary>Further copies of live blocks: registering them, and moving blocks to them when a volume goes.</summary>
/// <remarks>One instance a session; must be called with the connection lock held.</remarks>
internal sealed class BlockCopies
{
    // BlockHashSize; UniqueBlockVolumeDuplicateBlock keeps a repetition out.
    private const string AddDuplicate = """
        INSERT OR IGNORE INTO "DuplicateBlock" ("BlockID", "VolumeID") SELECT "ID", ?3 FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2
        """;

    // RemotevolumeNameOnly.
    private const string VolumeNamed = """SELECT "ID", "Type" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Block_IndexByVolumeId, UniqueBlockVolumeDuplicateBlock (BlockID, VolumeID), row id of Remotevolume. Copies in removed volumes are
    // still named.
    private const string CopiesOfVolume = """
        SELECT b."ID", v."ID"
        FROM "Block" b
        LEFT JOIN "DuplicateBlock" d ON d."BlockID" = b."ID"
        LEFT JOIN "Remotevolume" v ON v."ID" = d."VolumeID" AND v."State" NOT IN ('Deleting', 'Deleted')
        WHERE b."VolumeID" = ?1
        """;

    // UniqueBlockVolumeDuplicateBlock.
    private const string DeleteDuplicate = """DELETE FROM "DuplicateBlock" WHERE "BlockID" = ?1 AND "VolumeID" = ?2""";

    // Reads DuplicateBlock, which has no index on VolumeID; only for a volume that may have copies.
    internal const string DeleteCopies = """DELETE FROM "DuplicateBlock" WHERE "VolumeID" = ?1""";

    // One scan of the covering index; once, then followed in memory.
    internal const string DuplicateVolumes = """SELECT "VolumeID" FROM "DuplicateBlock" """;

    private readonly DatabaseSession m_session;
    private readonly TableChanges m_changes;

    // Volumes that may have copies: DuplicateBlock has no index on the volume, and most volumes that go have none. Known within one
    // transaction only: a rollback brings rows back that nobody counts, and after a commit others may write.
    private HashSet<long>? m_volumes;
    private (long Transaction, long ExternalWrites, long Changes) m_seen;

    private BlockCopies(DatabaseSession session)
    {
        m_session = session;
        m_changes = TableWatch.Of(session.Connection).Table("DuplicateBlock");
    }

    internal static BlockCopies Of(DatabaseSession session) => session.Service(static s => new BlockCopies(s));

    /// <summary>Registers a copy; does nothing for a block that is not live, or a copy that is registered.</summary>
    internal void Add(string hash, long size, long volume)
    {
        var known = IsKnown;
        using (var insert = m_session.Take(AddDuplicate))
            insert.Bind(1, hash).Bind(2, size).Bind(3, volume).ExecuteNonQuery();
        m_volumes?.Add(volume);
        AcceptIf(known);
    }

    /// <summary>Moves every live block of a volume to the copy in the highest volume that stays, and forgets the volume's copies.</summary>
    /// <param name="filename">Name of the volume; one that holds no blocks is left alone.</param>
    /// <param name="leaving">Ids of the volumes that go.</param>
    /// <exception cref="Exception">A live block has no copy that is there and stays.</exception>
    internal void MoveAwayFrom(string filename, IReadOnlySet<long> leaving)
    {
        m_session.BeginWriting();
        var volume = BlockVolume(filename);
        if (volume < 0)
            return;

        var targets = Targets(volume, leaving);
        if (targets.Count == 0)
            return;

        var missing = targets.Count(x => x.Value < 0);
        if (missing > 0)
            throw new Exception(
                $"Unexpected number of rows updated. Expected {targets.Count}, but {missing} block(s) of {filename} have no copy in another volume"
            );

        var known = IsKnown;
        Move(filename, targets);
        RemoveCopiesIn(volume, known);
    }

    private bool IsKnown => m_volumes is not null && m_seen == Now;

    private (long, long, long) Now => (m_session.TransactionCount, m_session.ExternalWriteCount, m_changes.Count);

    private void AcceptIf(bool known)
    {
        if (known)
            m_seen = Now;
    }

    private long BlockVolume(string filename)
    {
        using var row = m_session.Take(VolumeNamed);
        return row.Bind(1, filename).Read() && row.GetString(1) == nameof(RemoteVolumeType.Blocks) ? row.GetInt64(0) : -1;
    }

    // Live block to the volume it moves to, -1 if there is none.
    private Dictionary<long, long> Targets(long volume, IReadOnlySet<long> leaving)
    {
        var targets = new Dictionary<long, long>();
        using var rows = m_session.Take(CopiesOfVolume);
        rows.Bind(1, volume);
        while (rows.Read())
        {
            var block = rows.GetInt64(0);
            var copy = rows.GetInt64(1, -1);
            var best = targets.GetValueOrDefault(block, -1);
            targets[block] = copy > best && copy != volume && !leaving.Contains(copy) ? copy : best;
        }

        return targets;
    }

    private void Move(string filename, Dictionary<long, long> targets)
    {
        var (updated, deleted) = (0, 0);
        using var move = m_session.Take(BlockSql.SetVolume);
        using var delete = m_session.Take(DeleteDuplicate);
        foreach (var (block, target) in targets)
        {
            updated += move.Bind(1, block).Bind(2, target).ExecuteNonQuery();
            deleted += delete.Bind(1, block).Bind(2, target).ExecuteNonQuery();
        }

        if (updated != targets.Count || deleted != targets.Count)
            throw new Exception(
                $"Unexpected number of rows updated. Expected {targets.Count}, but updated {updated} and deleted {deleted} rows for {filename}"
            );
    }

    private void RemoveCopiesIn(long volume, bool known)
    {
        if (!known)
            ReadVolumes();
        if (m_volumes!.Contains(volume))
        {
            using var delete = m_session.Take(DeleteCopies);
            delete.Bind(1, volume).ExecuteNonQuery();
        }

        m_seen = Now;
    }

    private void ReadVolumes()
    {
        m_volumes = [];
        using var rows = m_session.Take(DuplicateVolumes);
        while (rows.Read())
            m_volumes.Add(rows.GetInt64(0));
    }
}
