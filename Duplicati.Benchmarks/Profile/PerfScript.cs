using System.Globalization;

namespace Duplicati.Benchmarks.Profile;

/// <summary>Reads what <c>perf script -F pid,ip,sym,dso</c> writes: for each sample a line with the process, lines of frames behind a tab, and an empty line.</summary>
internal static class PerfScript
{
    /// <summary>The fields that are read.</summary>
    public const string Fields = "pid,ip,sym,dso";

    /// <summary>Reads all samples, one after the other.</summary>
    /// <exception cref="ProfileException">A line is none of these.</exception>
    public static IEnumerable<PerfSample> Read(TextReader text)
    {
        int? process = null;
        var frames = new List<PerfFrame>();
        while (text.ReadLine() is { } line)
        {
            if (line.StartsWith('\t'))
            {
                frames.Add(PerfFrame.Parse(line));
                continue;
            }

            if (process is { } last)
                yield return new PerfSample(last, frames);
            process = string.IsNullOrWhiteSpace(line) ? null : Process(line);
            frames = [];
        }

        if (process is { } end)
            yield return new PerfSample(end, frames);
    }

    private static int Process(string line) => int.TryParse(line.AsSpan().Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out var id)
        ? id
        : throw new ProfileException($"perf script wrote a line that is no sample: {line}");
}
