namespace Duplicati.Benchmarks.Micro;

/// <summary>How much data the benchmarks work on.</summary>
internal static class BenchmarkScale
{
    /// <summary>Small data and few repetitions. Set once, before the first benchmark is looked at.</summary>
    public static bool IsQuick { get; set; }

    /// <summary>Also ten million rows, where a benchmark has them. Set like <see cref="IsQuick"/>.</summary>
    public static bool IsHuge { get; set; }

    /// <summary>Repetitions of each case; null for as many as the scale has. Set like <see cref="IsQuick"/>.</summary>
    public static int? Repetitions { get; set; }

    /// <summary>One of two sizes.</summary>
    public static T Of<T>(T full, T quick) => IsQuick ? quick : full;
}
