// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Utility;

/// <summary>The rules behind the group names that filters use in braces.</summary>
internal static class FilterGroups
{
    private const string SYSTEM_FILES = "SystemFiles";
    private const string OPERATING_SYSTEM = "OperatingSystem";
    private const string CACHE_FILES = "CacheFiles";
    private const string TEMPORARY_FILES = "TemporaryFiles";
    private const string APPLICATIONS = "Applications";
    private const string DEFAULT_EXCLUDES = "DefaultExcludes";

    /// <summary>The rules of one or more groups.</summary>
    /// <param name="names">Group names in any case, separated by commas.</param>
    /// <exception cref="ArgumentException">A name is not known.</exception>
    internal static IEnumerable<string> GetFilterStrings(string names) =>
        names.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries).SelectMany(Group);

    private static IEnumerable<string> Group(string name) =>
        name.ToUpperInvariant() switch
        {
            "SYSTEMFILES" => SystemFiles,
            "OPERATINGSYSTEM" => OperatingSystemFiles,
            "CACHEFILES" => CacheFiles,
            "TEMPORARYFILES" => TemporaryFiles,
            "APPLICATIONS" => Applications,
            "DEFAULTEXCLUDES" => [.. SystemFiles, .. OperatingSystemFiles, .. CacheFiles, .. TemporaryFiles, .. Applications],
            _ => throw new ArgumentException(
                $"Unknown filter group {name}; known are {string.Join(", ", SYSTEM_FILES, OPERATING_SYSTEM, CACHE_FILES, TEMPORARY_FILES, APPLICATIONS, DEFAULT_EXCLUDES)}",
                nameof(name)
            ),
        };

    private static string[] SystemFiles =>
        OperatingSystem.IsWindows()
            ?
            [
                @"?:\pagefile.sys",
                @"?:\swapfile.sys",
                @"?:\hiberfil.sys",
                @"?:\System Volume Information\*",
                @"?:\$Recycle.Bin\*",
                @"*\desktop.ini",
                @"*\Thumbs.db",
            ]
            : ["/dev/*", "/proc/*", "/sys/*", "/run/*", "*/lost+found/*", "*/.DS_Store", "*/.Trash*/*"];

    private static string[] OperatingSystemFiles =>
        OperatingSystem.IsWindows()
            ? [@"?:\Windows\*", @"?:\Recovery\*"]
            : ["/bin/*", "/boot/*", "/lib/*", "/lib64/*", "/sbin/*", "/usr/*", "/System/*"];

    private static string[] CacheFiles =>
        OperatingSystem.IsWindows()
            ? [@"*\Cache\*", @"*\INetCache\*", @"*\Temporary Internet Files\*"]
            : ["*/.cache/*", "/var/cache/*", "*/Library/Caches/*"];

    private static string[] TemporaryFiles =>
        OperatingSystem.IsWindows() ? [@"*\Temp\*", @"*.tmp", @"*.temp"] : ["/tmp/*", "/var/tmp/*", "*/.Trash/*", "*.tmp", "*~"];

    private static string[] Applications =>
        OperatingSystem.IsWindows() ? [@"?:\Program Files\*", @"?:\Program Files (x86)\*"] : ["/Applications/*", "/opt/*", "/snap/*"];
}
