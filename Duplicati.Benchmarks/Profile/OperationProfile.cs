namespace Duplicati.Benchmarks.Profile;

/// <summary>The samples of one operation by part, of all rounds together.</summary>
/// <param name="title">How reports name the operation.</param>
internal sealed class OperationProfile(string title)
{
    private readonly long[] m_counts = new long[Enum.GetValues<ProfilePart>().Length];

    /// <summary>How reports name the operation.</summary>
    public string Title => title;

    /// <summary>All samples.</summary>
    public long Samples => m_counts.Sum();

    /// <summary>Share of SQLite, the layer and the system's work for them, 0 to 100.</summary>
    public double LayerPercent => Percent(ProfilePart.Sqlite) + Percent(ProfilePart.Layer) + Percent(ProfilePart.LayerKernel);

    /// <summary>Whether the system's own work was sampled, which it is not for every user.</summary>
    public bool HasKernel => m_counts[(int)ProfilePart.Kernel] + m_counts[(int)ProfilePart.LayerKernel] > 0;

    /// <summary>Several operations as one.</summary>
    public static OperationProfile Sum(string title, IEnumerable<OperationProfile> profiles)
    {
        var sum = new OperationProfile(title);
        foreach (var profile in profiles)
        {
            for (var part = 0; part < sum.m_counts.Length; part++)
                sum.m_counts[part] += profile.m_counts[part];
        }

        return sum;
    }

    /// <summary>Counts a sample.</summary>
    public void Add(ProfilePart part) => m_counts[(int)part]++;

    /// <summary>Share of a part, 0 to 100; 0 without samples.</summary>
    public double Percent(ProfilePart part) => Samples == 0 ? 0 : 100.0 * m_counts[(int)part] / Samples;
}
