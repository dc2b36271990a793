// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Compact;

/// <summary>
/// The time of the oldest version that uses a block of a volume. Each blockset is looked at once and its age remembered (40
/// bytes, at most a million of them); a volume is done when the oldest version of all is found, which most find soon. Of a file
/// the version with the lowest id is looked up, and the others only if one of them can be older, as after a purge.
/// </summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal sealed class VolumeAges
{
    // Small table, one row a version, by id.
    private const string FilesetTimes = """SELECT "ID", "Timestamp" FROM "Fileset" ORDER BY "ID" DESC""";

    // Block_IndexByVolumeId, BlocksetEntry_IndexIdsBackwards (BlockID).
    private const string BlocksetsOfVolume = """
        SELECT e."BlocksetID"
        FROM "Block" b
        CROSS JOIN "BlocksetEntry" e ON e."BlockID" = b."ID"
        WHERE b."VolumeID" = ?1
        """;

    // nn_FileLookup_BlockMeta (BlocksetID); the first of FilesetentryFileIdIndex, whose entries of a file are in the order of the versions.
    private const string FilesOfData = """
        SELECT l."ID", (SELECT MIN(e."FilesetID") FROM "FilesetEntry" e WHERE e."FileID" = l."ID") FROM "FileLookup" l WHERE l."BlocksetID" = ?1
        """;

    // MetadatasetBlocksetID, FileLookupMetadataID; the first of FilesetentryFileIdIndex.
    private const string FilesOfMetadata = """
        SELECT l."ID", (SELECT MIN(e."FilesetID") FROM "FilesetEntry" e WHERE e."FileID" = l."ID")
        FROM "Metadataset" m
        CROSS JOIN "FileLookup" l ON l."MetadataID" = m."ID"
        WHERE m."BlocksetID" = ?1
        """;

    private const int MaxRemembered = 1 << 20;
    private const long Unused = long.MaxValue;

    private readonly DatabaseSession m_session;
    private readonly Dictionary<long, Version> m_versions = [];
    private readonly Dictionary<long, long> m_blocksets = [];
    private readonly long m_oldest;

    internal VolumeAges(DatabaseSession session)
    {
        m_session = session;
        var oldest = Unused;
        using var rows = session.Take(FilesetTimes);
        while (rows.Read())
        {
            m_versions[rows.GetInt64(0)] = new Version(rows.GetInt64(1), oldest);
            oldest = Math.Min(oldest, rows.GetInt64(1));
        }

        m_oldest = oldest;
    }

    /// <summary>Epoch seconds; 0 if no version uses the volume.</summary>
    internal long Of(long volume)
    {
        var age = Unused;
        using var rows = m_session.Take(BlocksetsOfVolume);
        rows.Bind(1, volume);
        while (age != m_oldest && rows.Read())
            age = Math.Min(age, OfBlockset(rows.GetInt64(0)));
        return age == Unused ? 0 : age;
    }

    private long OfBlockset(long blockset)
    {
        if (m_blocksets.TryGetValue(blockset, out var age))
            return age;

        age = Oldest(FilesOfData, blockset, Unused);
        age = Oldest(FilesOfMetadata, blockset, age);
        if (m_blocksets.Count >= MaxRemembered)
            m_blocksets.Clear();
        m_blocksets.Add(blockset, age);
        return age;
    }

    private long Oldest(string sql, long blockset, long age)
    {
        using var rows = m_session.Take(sql);
        rows.Bind(1, blockset);
        while (age != m_oldest && rows.Read())
        {
            if (!rows.IsDBNull(1))
                age = Math.Min(age, OfFile(rows.GetInt64(0), rows.GetInt64(1)));
        }

        return age;
    }

    private long OfFile(long file, long lowest)
    {
        if (m_versions.TryGetValue(lowest, out var version) && version.Time <= version.OldestAbove)
            return version.Time;

        var age = Unused;
        using var rows = m_session.Take(FilesetReads.OfFile);
        rows.Bind(1, file);
        while (age != m_oldest && rows.Read())
            age = Math.Min(age, m_versions.GetValueOrDefault(rows.GetInt64(0), Version.None).Time);
        return age;
    }

    /// <summary>A version's time, and the oldest time of those with higher ids.</summary>
    private readonly record struct Version(long Time, long OldestAbove)
    {
        internal static readonly Version None = new(Unused, Unused);
    }
}
