using Duplicati.Engine.Data;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>What is backed up.</summary>
internal static class SourceData
{
    /// <summary>The folder that was given, or generated data in a new one.</summary>
    public static async Task<string> MakeAsync(EndToEndOptions options, string folder, TextWriter log, CancellationToken token)
    {
        if (options.Source is { } given)
            return given;

        await log.WriteLineAsync($"Generating {options.TotalBytes} bytes in {options.Files} files (seed {options.Seed})").ConfigureAwait(false);
        var source = new SourceOptions { TotalBytes = options.TotalBytes, Files = options.Files, MaxFileBytes = Math.Max(10 * 1024 * 1024, options.TotalBytes / 10), SparsePercent = 30, Seed = options.Seed };
        await SourceGenerator.GenerateAsync(folder, source, token).ConfigureAwait(false);
        return folder;
    }
}
