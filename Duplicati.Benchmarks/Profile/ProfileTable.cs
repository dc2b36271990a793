using System.Globalization;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Profile;

/// <summary>The table of a profile.</summary>
internal static class ProfileTable
{
    private static readonly Dictionary<ProfilePart, string> s_heads = new()
    {
        [ProfilePart.Sqlite] = "SQLite",
        [ProfilePart.Layer] = "layer and provider",
        [ProfilePart.LayerKernel] = "their kernel time",
        [ProfilePart.Cryptography] = "hashing, encryption",
        [ProfilePart.Compression] = "compression",
        [ProfilePart.Engine] = "engine",
        [ProfilePart.Kernel] = "other kernel time",
        [ProfilePart.Compiler] = "JIT",
        [ProfilePart.Runtime] = "GC, runtime",
        [ProfilePart.Start] = "start-up",
        [ProfilePart.Rest] = "rest",
    };

    /// <summary>Makes the table.</summary>
    /// <param name="profiles">The operations.</param>
    /// <param name="options">What was run.</param>
    /// <param name="environment">Where it was run.</param>
    /// <param name="command">The arguments that repeat it.</param>
    public static TableResults Of(IReadOnlyList<OperationProfile> profiles, EndToEndOptions options, RunEnvironment environment, string command)
    {
        var all = OperationProfile.Sum("all", profiles);
        return new TableResults
        {
            Title = "Share of the data layer in each operation",
            Command = command,
            Environment = environment,
            Note = FormattableString.Invariant($"The engine with preset {options.Presets[0]}, {options.Data}; {PerfTool.Frequency} samples a second of processor time, in percent of the operation's own. ")
                + "A sample belongs to the innermost function of its stack that is of one of these parts; \"data layer\" is the sum of the three columns after it. "
                + "SQLite keeps no frame pointers, so that its callers are often unknown: a system call on files whose caller is unknown is taken for SQLite's, and what it does in the C library is in the rest."
                + (all.HasKernel ? "" : " This user may not sample the system's own work, which is missing (sysctl kernel.perf_event_paranoid=1)."),
            Texts = ["operation"],
            Figures = ["data layer, %", .. Enum.GetValues<ProfilePart>().Select(part => $"{s_heads[part]}, %"), "samples", "processor s a round"],
            Rows = [.. profiles.Append(all).Select(profile => Row(profile, options.Repeat))],
        };
    }

    private static string[] Row(OperationProfile profile, int rounds) =>
    [
        profile.Title,
        Number(profile.LayerPercent),
        .. Enum.GetValues<ProfilePart>().Select(part => Number(profile.Percent(part))),
        profile.Samples.ToString(CultureInfo.InvariantCulture),
        ((double)profile.Samples / PerfTool.Frequency / rounds).ToString("F2", CultureInfo.InvariantCulture),
    ];

    private static string Number(double percent) => percent.ToString("F1", CultureInfo.InvariantCulture);
}
