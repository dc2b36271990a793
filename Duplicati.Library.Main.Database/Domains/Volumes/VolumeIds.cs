// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>Ids for new volumes, above all that anything names: with a lower one they would be said to hold what they have not.</summary>
/// <remarks>One instance a session; must be called with the connection lock and the write lock held.</remarks>
internal sealed class VolumeIds : ITransactionCache
{
    // Last row by row id.
    private const string LastVolume = """SELECT MAX("ID") FROM "Remotevolume" """;

    // Last row of Block_IndexByVolumeId, or Block in full while that is deferred; DeletedBlock and DuplicateBlock in full, which have no
    // index on VolumeID; one row a volume and one a version. Once, then followed in memory.
    internal const string LastNamed = """
        SELECT MAX(
            (SELECT IFNULL(MAX("VolumeID"), 0) FROM "Block"),
            (SELECT IFNULL(MAX("VolumeID"), 0) FROM "DeletedBlock"),
            (SELECT IFNULL(MAX("VolumeID"), 0) FROM "DuplicateBlock"),
            (SELECT IFNULL(MAX("IndexVolumeID"), 0) FROM "IndexBlockLink"),
            (SELECT IFNULL(MAX("BlockVolumeID"), 0) FROM "IndexBlockLink"),
            (SELECT IFNULL(MAX("VolumeID"), 0) FROM "Fileset"))
        """;

    private readonly DatabaseSession m_session;

    // The highest id that was there or named when it was read, or was given since: what names another one names a volume that is there.
    private long m_last = -1;
    private long m_readIn;
    private long m_externalWrites;

    private VolumeIds(DatabaseSession session)
    {
        m_session = session;
        session.BeginNoticingOthers();
    }

    internal static VolumeIds Of(DatabaseSession session) => session.Service(static owner => new VolumeIds(owner));

    /// <summary>The id for the next volume.</summary>
    internal long Next()
    {
        if (m_last < 0 || m_externalWrites != m_session.ExternalWriteCount || m_session.OthersMayHaveChanged(m_readIn))
            Read();
        return Math.Max(m_last, m_session.ReadNumber(LastVolume)) + 1;
    }

    /// <summary>A volume has got an id.</summary>
    internal void Given(long id) => m_last = id;

    /// <summary>After a rollback, which may have taken back what was given.</summary>
    public void Discard() => m_last = -1;

    private void Read()
    {
        m_last = Math.Max(m_session.ReadNumber(LastNamed), m_session.ReadNumber(LastVolume));
        (m_readIn, m_externalWrites) = (m_session.TransactionCount, m_session.ExternalWriteCount);
    }
}
