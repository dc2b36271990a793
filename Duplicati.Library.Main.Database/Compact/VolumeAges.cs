#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Compact;

/// <summary>
/// The time of the oldest version that uses a block of a volume. Each blockset is looked at once and its age remembered (40
/// bytes, at most a million of them); a volume is done when the oldest version of all is found, which most find soon.
/// </summary>
/// <remarks>Must be called with the session's gate held.</remarks>
internal sealed class VolumeAges
{
    private const int MaxRemembered = 1 << 20;
    private const long Unused = long.MaxValue;

    private readonly DatabaseSession m_session;
    private readonly Dictionary<long, long> m_times = [];
    private readonly Dictionary<long, long> m_blocksets = [];
    private readonly long m_oldest;

    internal VolumeAges(DatabaseSession session)
    {
        m_session = session;
        using var rows = session.Take(CompactSql.FilesetTimes);
        while (rows.Step())
            m_times[rows.GetInt64(0)] = rows.GetInt64(1);
        m_oldest = m_times.Count == 0 ? Unused : m_times.Values.Min();
    }

    /// <summary>Epoch seconds; 0 if no version uses the volume.</summary>
    internal long Of(long volume)
    {
        var age = Unused;
        using var rows = m_session.Take(CompactSql.BlocksetsOfVolume);
        rows.Bind(1, volume);
        while (age != m_oldest && rows.Step())
            age = Math.Min(age, OfBlockset(rows.GetInt64(0)));
        return age == Unused ? 0 : age;
    }

    private long OfBlockset(long blockset)
    {
        if (m_blocksets.TryGetValue(blockset, out var age))
            return age;

        age = Oldest(CompactSql.FilesetsOfData, blockset, Unused);
        age = Oldest(CompactSql.FilesetsOfMetadata, blockset, age);
        if (m_blocksets.Count >= MaxRemembered)
            m_blocksets.Clear();
        m_blocksets.Add(blockset, age);
        return age;
    }

    private long Oldest(string sql, long blockset, long age)
    {
        using var rows = m_session.Take(sql);
        rows.Bind(1, blockset);
        while (age != m_oldest && rows.Step())
            age = Math.Min(age, m_times.GetValueOrDefault(rows.GetInt64(0), Unused));
        return age;
    }
}
