using System.Globalization;

namespace Duplicati.UnitTest.Golden;

/// <summary>Times and sizes as the real program printed them in UTC and the invariant culture.</summary>
internal static class GoldenText
{
    public const string NoSize = " - ";

    public static string Time(DateTime time) => time.ToUniversalTime().ToString("MM/dd/yyyy HH:mm:ss", CultureInfo.InvariantCulture);

    public static string Size(long bytes) => bytes switch
    {
        < 0 => NoSize,
        < 1024 => $"{bytes} bytes",
        < 1024 * 1024 => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1024.0:N2} KiB"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1048576.0:N2} MiB"),
    };
}
