// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Duplicati.UnitTest.Golden;

/// <summary>Sizes, versions and messages in the form in which they are recorded of the real program.</summary>
internal static class GoldenText
{
    /// <summary>A size in the program's units; null where there is none.</summary>
    public static string? Size(long bytes) =>
        bytes switch
        {
            < 0 => null,
            < 1024 => $"{bytes} bytes",
            < 1024 * 1024 => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1024.0:N2} KiB"),
            _ => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1048576.0:N2} MiB"),
        };

    /// <summary>A time in UTC to the second, which is what was recorded.</summary>
    public static DateTime Time(DateTime time)
    {
        var utc = time.ToUniversalTime();
        return utc.AddTicks(-(utc.Ticks % TimeSpan.TicksPerSecond));
    }

    /// <summary>A version by its number and time.</summary>
    public static VersionFacts Version(long version, DateTime time) => new(version, Time(time), null, null, null);

    /// <summary>One line for a path and one for each of its versions.</summary>
    public static string Block(string path, IEnumerable<(long Version, DateTime Time, string? Size)> versions) =>
        string.Join(
            '\n',
            versions
                .Select(x => string.Create(CultureInfo.InvariantCulture, $"{x.Version}: {Time(x.Time):s} {x.Size ?? "-"}"))
                .Prepend(path)
        );

    /// <summary>The same of what was recorded.</summary>
    public static IEnumerable<string> Blocks(FindFacts facts) =>
        facts.Paths.Select(x => Block(x[0]!, facts.Filesets.Select((version, i) => (version.Version, version.Time, x[i + 1]))));

    /// <summary>The same of a search.</summary>
    public static IEnumerable<string> Blocks(SearchFacts[] facts) =>
        facts.SelectMany(x => x.Versions.Select(y => $"{x.Path} {y.Version} {y.Size}").Prepend(x.Path));

    /// <summary>Whether a message is, or begins with, the recorded one.</summary>
    public static bool IsMessage(MessageFacts recorded, DateTime time, string text) =>
        recorded.Time == Time(time)
        && (
            recorded.Text is { } start
                ? text.StartsWith(start, StringComparison.Ordinal)
                : text.Length >= recorded.Length
                    && Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text[..recorded.Length.Value]))) == recorded.Sha256
        );
}
