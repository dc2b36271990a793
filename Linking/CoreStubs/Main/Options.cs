// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main;

/// <summary>The options of an operation, read from their texts at each access.</summary>
internal class Options
{
    private const string DEFAULT_HASH_ALGORITHM = "SHA256";
    private const string DEFAULT_BLOCKSIZE = "1mb";
    private const string DEFAULT_SLOW_QUERY_THRESHOLD = "30m";
    private const string DEFAULT_LOG_RETENTION = "30D";

    private readonly Dictionary<string, string?> m_options;

    /// <summary>What the test operation looks at.</summary>
    public enum RemoteTestStrategy
    {
        /// <summary>Everything, opening the volumes.</summary>
        True = 0,

        /// <summary>Everything, without opening the volumes.</summary>
        False = 1,

        /// <summary>Lists and indexes only.</summary>
        ListAndIndexes = 2,

        /// <summary>Indexes only.</summary>
        IndexesOnly = 3,

        /// <summary>Another spelling of <see cref="IndexesOnly"/>.</summary>
        IndexOnly = IndexesOnly,
    }

    /// <summary>Keeps the dictionary itself: later changes to it are seen.</summary>
    /// <param name="options">Option names without dashes, with their values; a switch may have none.</param>
    public Options(Dictionary<string, string?> options)
    {
        ArgumentNullException.ThrowIfNull(options);
        m_options = options;
    }

    /// <summary>The options as they were given.</summary>
    public Dictionary<string, string?> RawOptions => m_options;

    /// <summary>Log and watch statements of hot paths too.</summary>
    public bool ProfileAllDatabaseQueries => Switch("profile-all-database-queries");

    /// <summary>Keep the metadata of files in the database as well.</summary>
    public bool StoreMetadataContentInDatabase => Switch("store-metadata-content-in-database");

    /// <summary>Restore no alternate data streams.</summary>
    public bool DisableAdsRestore => Switch("disable-ads-restore");

    /// <summary>How long a statement may run before a warning is written.</summary>
    public TimeSpan SlowQueryThreshold => Timeparser.ParseTimeSpan(Text("long-database-query-threshold", DEFAULT_SLOW_QUERY_THRESHOLD));

    /// <summary>Log lines from before this time are removed; local.</summary>
    public DateTime LogRetention => Timeparser.ParseTimeInterval(Text("log-retention", DEFAULT_LOG_RETENTION), DateTime.Now, negate: true);

    /// <summary>The block size in bytes.</summary>
    public int Blocksize => checked((int)Sizer.ParseSize(Text("blocksize", DEFAULT_BLOCKSIZE), "kb"));

    /// <summary>The name of the hash function of blocks.</summary>
    public string BlockHashAlgorithm => Text("block-hash-algorithm", DEFAULT_HASH_ALGORITHM);

    /// <summary>The name of the hash function of files and volumes.</summary>
    public string FileHashAlgorithm => Text("file-hash-algorithm", DEFAULT_HASH_ALGORITHM);

    /// <summary>The length of a block digest in bytes.</summary>
    public int BlockhashSize => HashFactory.HashSizeBytes(BlockHashAlgorithm);

    /// <summary>Up to which time filesets are wanted, local; ticks 0 without the option.</summary>
    public DateTime Time =>
        m_options.TryGetValue("time", out var text) && !string.IsNullOrWhiteSpace(text)
            ? Timeparser.ParseTimeInterval(text, DateTime.Now, negate: true)
            : new DateTime(0, DateTimeKind.Local);

    /// <summary>The wanted positions in the list of filesets, newest first, such as <c>0,2-4</c>; null without the option.</summary>
    public long[]? Version =>
        m_options.TryGetValue("version", out var text) && !string.IsNullOrWhiteSpace(text)
            ? [.. text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries).SelectMany(Range)]
            : null;

    /// <summary>What the test operation looks at; false without the option.</summary>
    public RemoteTestStrategy FullRemoteVerification
    {
        get
        {
            if (!m_options.TryGetValue("full-remote-verification", out var text))
                return RemoteTestStrategy.False;
            if (string.IsNullOrWhiteSpace(text))
                return RemoteTestStrategy.True;
            return Enum.TryParse<RemoteTestStrategy>(text, ignoreCase: true, out var strategy) ? strategy : RemoteTestStrategy.False;
        }
    }

    private bool Switch(string name) => m_options.TryGetValue(name, out var text) && Library.Utility.Utility.ParseBool(text, true);

    private string Text(string name, string @default) =>
        m_options.TryGetValue(name, out var text) && !string.IsNullOrWhiteSpace(text) ? text : @default;

    private static IEnumerable<long> Range(string text)
    {
        var ends = text.Split('-', 2);
        var first = long.Parse(ends[0], NumberStyles.None, CultureInfo.InvariantCulture);
        var last = long.Parse(ends[^1], NumberStyles.None, CultureInfo.InvariantCulture);
        for (var version = first; version <= last; version++)
            yield return version;
    }
}
