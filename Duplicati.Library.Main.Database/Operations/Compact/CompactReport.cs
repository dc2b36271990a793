// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Compact;

/// <summary>
/// Which volumes can be deleted, and which are worth rewriting because they hold waste or are small. Percentages are computed
/// in single precision; a division by zero compares false.
/// </summary>
internal sealed class CompactReport : LocalDeleteDatabase.ICompactReport
{
    private static readonly string LOGTAG = Log.LogTagFromType<LocalDeleteDatabase>();

    private readonly long m_volsize;
    private readonly long m_wastethreshold;
    private readonly long m_maxsmallfilecount;
    private readonly List<VolumeUsage> m_clean;
    private readonly List<VolumeUsage> m_waste;
    private readonly List<VolumeUsage> m_small;
    private readonly long m_wastedsize;
    private readonly long m_datasize;
    private readonly long m_smallsize;

    /// <param name="volumes">The volumes, those used by the oldest version first.</param>
    /// <param name="volsize">Bytes of a full volume.</param>
    /// <param name="wastethreshold">Percentage from which waste counts.</param>
    /// <param name="smallfilesize">Bytes up to which a volume is small.</param>
    /// <param name="maxsmallfilecount">Small volumes that may stay.</param>
    internal CompactReport(
        IReadOnlyList<VolumeUsage> volumes,
        long volsize,
        long wastethreshold,
        long smallfilesize,
        long maxsmallfilecount
    )
    {
        m_volsize = volsize;
        m_wastethreshold = wastethreshold;
        m_maxsmallfilecount = maxsmallfilecount;
        m_clean = [.. volumes.Where(x => x.IsClean)];
        m_waste = [.. volumes.Where(x => !x.IsClean && (Reaches(x.WastedSize, x.DataSize) || Reaches(x.WastedSize, volsize)))];
        m_small = [.. volumes.Where(x => !x.IsClean && x.CompressedSize <= smallfilesize)];
        m_wastedsize = m_waste.Sum(x => x.WastedSize);
        m_datasize = volumes.Sum(x => x.DataSize);
        m_smallsize = m_small.Sum(x => x.CompressedSize);
    }

    public IEnumerable<string> DeleteableVolumes => m_clean.Select(x => x.Name);

    public IEnumerable<string> CompactableVolumes => m_waste.Concat(m_small).Select(x => x.Name).Distinct();

    public bool ShouldReclaim => m_clean.Count > 0;

    public bool ShouldCompact => IsWasteful || IsSmallTooLarge || AreSmallTooMany;

    private bool IsWasteful => m_waste.Count >= 2 && Reaches(m_wastedsize, m_datasize);

    private bool IsSmallTooLarge => m_smallsize > m_volsize;

    private bool AreSmallTooMany => m_small.Count > m_maxsmallfilecount;

    /// <summary>Reads the volumes and puts them in order.</summary>
    internal static CompactReport Create(
        DatabaseSession session,
        long volsize,
        long wastethreshold,
        long smallfilesize,
        long maxsmallfilecount
    )
    {
        var volumes = UsageReads.Read(session);
        var unsorted = new CompactReport(volumes, volsize, wastethreshold, smallfilesize, maxsmallfilecount);
        // Only the order within these lists is ever seen, so only their ages are worth knowing.
        var ordered = unsorted.m_clean.Concat(unsorted.m_waste).Concat(unsorted.m_small).Distinct().ToList();
        if (ordered.Count < 2)
            return unsorted;

        var ages = new VolumeAges(session);
        var age = ordered.ToDictionary(x => x.Id, x => ages.Of(x.Id));
        var sorted = volumes.OrderBy(x => age.GetValueOrDefault(x.Id)).ThenBy(x => x.Id).ToList();
        return new CompactReport(sorted, volsize, wastethreshold, smallfilesize, maxsmallfilecount);
    }

    public void ReportCompactData()
    {
        var wasted = Percent(m_wastedsize, m_datasize);
        Log.WriteVerboseMessage(LOGTAG, "FullyDeletableCount", "Found {0} fully deletable volume(s)", m_clean.Count);
        Log.WriteVerboseMessage(
            LOGTAG,
            "SmallVolumeCount",
            "Found {0} small volumes(s) with a total size of {1}",
            m_small.Count,
            Size(m_smallsize)
        );
        Log.WriteVerboseMessage(
            LOGTAG,
            "WastedSpaceVolumes",
            "Found {0} volume(s) with a total of {1:F2}% wasted space ({2} of {3})",
            m_waste.Count,
            wasted,
            Size(m_wastedsize),
            Size(m_datasize)
        );
        Log.WriteInformationMessage(LOGTAG, "CompactReason", "{0}", Reason(wasted));
    }

    private string Reason(float wasted)
    {
        if (ShouldReclaim)
            return $"Compacting because there are {m_clean.Count} fully deletable volume(s)";
        if (IsWasteful)
            return $"Compacting because there is {wasted:F2}% wasted space and the limit is {m_wastethreshold}%";
        if (IsSmallTooLarge)
            return $"Compacting because there are {Size(m_smallsize)} in small volumes and the volume size is {Size(m_volsize)}";
        return AreSmallTooMany
            ? $"Compacting because there are {m_small.Count} small volumes and the maximum is {m_maxsmallfilecount}"
            : "Compacting not required";
    }

    private bool Reaches(long part, long whole) => Percent(part, whole) >= m_wastethreshold;

    private static float Percent(long part, long whole) => part / (float)whole * 100;

    private static string Size(long bytes) => Library.Utility.Utility.FormatSizeString(bytes);
}
