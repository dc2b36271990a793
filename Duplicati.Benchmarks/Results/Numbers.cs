using System.Globalization;

namespace Duplicati.Benchmarks.Results;

/// <summary>Medians, and figures as documents show them.</summary>
internal static class Numbers
{
    /// <summary>The middle value, or the mean of the two in the middle.</summary>
    public static double Median(IEnumerable<double> values)
    {
        var sorted = values.Order().ToList();
        return (sorted[(sorted.Count - 1) / 2] + sorted[sorted.Count / 2]) / 2;
    }

    /// <summary>A figure with two decimals.</summary>
    public static string Two(double value) => value.ToString("0.00", CultureInfo.InvariantCulture);

    /// <summary>A whole number, grouped.</summary>
    public static string Whole(double value) => value.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>Bytes as MiB; a dash if unknown.</summary>
    public static string MiB(long? bytes) => bytes is >= 0 ? (bytes.Value / 1048576.0).ToString("0.0", CultureInfo.InvariantCulture) : "–";
}
