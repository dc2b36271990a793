namespace Duplicati.Benchmarks.Profile;

/// <summary>
/// Counts each sample for one part: that of the innermost frame that belongs to one. So the work that the runtime and the libraries of
/// .NET do for the data layer is the data layer's, and a method of the engine that goes on from within a call of the data layer is the engine's.
/// </summary>
internal static class SampleAttribution
{
    // System calls on files that SQLite makes.
    private static readonly string[] s_fileCalls = ["sys_pread64", "sys_pwrite64", "sys_fsync", "sys_fdatasync", "sys_fcntl", "sys_ftruncate", "sys_openat", "sys_unlink"];

    /// <summary>The part of a sample.</summary>
    public static ProfilePart PartOf(PerfSample sample)
    {
        var owner = Owner(sample);
        if (sample.Frames is [{ IsKernel: true }, ..])
            return owner is ProfilePart.Sqlite or ProfilePart.Layer || IsCutAboveSqlite(sample) ? ProfilePart.LayerKernel : ProfilePart.Kernel;
        return owner ?? Below(sample);
    }

    private static ProfilePart? Owner(PerfSample sample)
    {
        foreach (var frame in sample.Frames)
        {
            if (FrameOwner.Of(frame) is { } part)
                return part;
        }

        return null;
    }

    // Of all that asks the system for files, only SQLite keeps no frame pointers, so that nothing is known of who called the C library.
    private static bool IsCutAboveSqlite(PerfSample sample)
    {
        var callers = sample.Frames.SkipWhile(frame => frame.IsKernel).ToList();
        return callers is [var first, .. var others]
            && IsLibraryOfC(first) && others.All(frame => IsLibraryOfC(frame) || frame.Module == PerfFrame.Unknown)
            && sample.Frames.Any(frame => frame.IsKernel && s_fileCalls.Any(call => frame.Symbol.EndsWith(call, StringComparison.Ordinal)));
    }

    private static bool IsLibraryOfC(PerfFrame frame) => frame.Module.StartsWith("libc.", StringComparison.Ordinal) || frame.Module.StartsWith("ld-musl", StringComparison.Ordinal);

    // The runtime is below every managed method as well, and does not work for those alone.
    private static ProfilePart Below(PerfSample sample)
    {
        foreach (var frame in sample.Frames)
        {
            if (frame.Assembly is not null)
                break;
            if (FrameOwner.Below(frame) is { } part)
                return part;
        }

        return ProfilePart.Rest;
    }
}
